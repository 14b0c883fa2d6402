#include "serve/tls/self_signed.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace nvmlkit::serve::tls {
namespace {

constexpr long kYear = 365L * 24 * 3600, kClocksDiffer = 3600;
constexpr int kSerialBits = 127;

bool is_address(const std::string& text) {
  in6_addr out;
  return inet_pton(AF_INET, text.c_str(), &out) == 1 || inet_pton(AF_INET6, text.c_str(), &out) == 1;
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    if (!out.empty()) out += ',';
    out += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  return out;
}

bool set_serial(X509* certificate) {
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_new());
  return number && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool describe(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& names) {
  auto* const subject = X509_get_subject_name(certificate);
  const auto* const common = reinterpret_cast<const unsigned char*>("nvmlkit serve");
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kClocksDiffer) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kYear) != nullptr &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_subject_alt_name, alternative_names(names)) &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash");
}

template <class Write>
sim::Expected<void> write_new(const std::string& path, mode_t mode, Write write) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0) return sim::fail(sim::unusable_file(path, std::generic_category().message(errno)));
  const std::unique_ptr<BIO, Freed<BIO_free>> bio(BIO_new_fd(fd, BIO_CLOSE));
  errno = 0;
  if (bio && write(bio.get()) == 1) return {};
  ERR_clear_error();
  return sim::fail(sim::unusable_file(path, std::generic_category().message(errno == 0 ? EIO : errno)));
}

}  // namespace

sim::Expected<Pair> make_pair(const std::vector<std::string>& names) {
  Pair out;
  out.key.reset(EVP_EC_gen("P-256"));
  out.certificate.reset(X509_new());
  if (out.key && out.certificate && describe(out.certificate.get(), out.key.get(), names) &&
      X509_sign(out.certificate.get(), out.key.get(), EVP_sha256()) != 0)
    return out;
  ERR_clear_error();
  return sim::fail(sim::impossible("no certificate can be made for " + alternative_names(names)));
}

sim::Expected<void> write_pair(const Pair& pair, const Files& files) {
  auto done = write_new(files.key, 0600, [&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, pair.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  if (!done) return done;
  return write_new(files.certificate, 0644, [&](BIO* bio) { return PEM_write_bio_X509(bio, pair.certificate.get()); });
}

}  // namespace nvmlkit::serve::tls
