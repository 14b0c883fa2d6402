// The certificate of `nvmlkit serve`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "serve/tls/identity.hpp"

namespace nvmlkit::cli {

class TlsOptions {
 public:
  void declare(Arguments& arguments);

  bool given() const { return self_signed_ || !files_.certificate.empty() || !files_.key.empty(); }
  bool is_self_signed() const { return self_signed_; }

  // Null without these options. `address` and `names` are what a certificate is for that the command makes.
  std::shared_ptr<const serve::tls::Identity> identity(const std::string& address,
                                                       const std::vector<std::string>& names) const;

 private:
  serve::tls::Files files_;
  bool self_signed_ = false;
};

}  // namespace nvmlkit::cli
