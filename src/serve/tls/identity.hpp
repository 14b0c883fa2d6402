// Who the server is for clients that speak TLS: a certificate and its key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/problem/problem.hpp"

struct bufferevent;
struct event_base;

namespace nvmlkit::serve::tls {

// Files in PEM form. The first certificate of its file is that of the server; those that issued it follow.
struct Files {
  std::string certificate, key;
};

class Identity {
 public:
  // A problem names the file: it cannot be read, is of another form, the key is open to other users, encrypted, or of
  // another certificate. Or the command was built without OpenSSL.
  static sim::Expected<std::shared_ptr<const Identity>> of_files(const Files& files);

  // A certificate for these names and addresses that nobody else signed. With files it is kept there: a pair that is
  // there already is used, a missing pair is made.
  static sim::Expected<std::shared_ptr<const Identity>> self_signed(const std::vector<std::string>& names,
                                                                    const Files& files);

  virtual ~Identity() = default;

  // The SHA-256 of the certificate, as browsers show it: 1F:00:...
  virtual std::string fingerprint() const = 0;
  // The names that the certificate is for, without those with a wildcard.
  virtual std::vector<std::string> names() const = 0;
  virtual bool has_address(const std::string& address) const = 0;
  // Is the certificate out of its time?
  virtual bool is_out_of_time() const = 0;

  // The server's side of a new connection; null without memory.
  virtual bufferevent* connection(event_base* base) const = 0;

 protected:
  Identity() = default;
};

}  // namespace nvmlkit::serve::tls
