// A certificate with its key: OpenSSL's objects, read from files.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "base/freed.hpp"
#include "serve/tls/identity.hpp"

namespace nvmlkit::serve::tls {

using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

struct Pair {
  Certificate certificate;
  Key key;
  std::vector<Certificate> issuers;
};

sim::Expected<Pair> read_pair(const Files& files);

std::string fingerprint_of(const X509& certificate);
std::vector<std::string> names_of(const X509& certificate);

}  // namespace nvmlkit::serve::tls
