#include "serve/tls/certificate.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace nvmlkit::serve::tls {
namespace {

using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

constexpr std::size_t kLargestFile = 1 << 20;

sim::Problem unusable(const std::string& path, Prose why, Prose hint) {
  auto out = sim::unusable_file(path, std::move(why));
  out.hint = std::move(hint);
  return out;
}

// The text of a file. That of a key must not be open to every user of the host.
sim::Expected<std::string> text_of(const std::string& path, bool secret) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return sim::fail(
        unusable(path, std::generic_category().message(errno), "name a file in PEM form that this user can read"));
  struct stat about {};
  std::string out;
  std::array<char, 4096> part{};
  ssize_t size = fstat(fd, &about);
  while (size >= 0 && out.size() <= kLargestFile && (size = read(fd, part.data(), part.size())) > 0)
    out.append(part.data(), static_cast<std::size_t>(size));
  const int error = size < 0 ? errno : 0;
  close(fd);
  if (error != 0)
    return sim::fail(
        unusable(path, std::generic_category().message(error), "name a file in PEM form that this user can read"));
  if (secret && (about.st_mode & 07) != 0)
    return sim::fail(unusable(path, "is a key that other users can read", "chmod 600 closes it"));
  return out;
}

Bio bio_of(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// OpenSSL would ask at the terminal.
int no_password(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

sim::Expected<Key> read_key(const std::string& path) {
  const auto text = text_of(path, true);
  if (!text) return sim::fail(text.error());
  bool encrypted = false;
  Key out(PEM_read_bio_PrivateKey(bio_of(*text).get(), nullptr, no_password, &encrypted));
  ERR_clear_error();
  if (out) return out;
  if (encrypted)
    return sim::fail(unusable(path, "is an encrypted key", "openssl pkey -in FILE -out PLAIN writes it without"));
  return sim::fail(
      unusable(path, "contains no private key in PEM form", "openssl pkey -in FILE -out KEY.pem converts other forms"));
}

}  // namespace

sim::Expected<Pair> read_pair(const Files& files) {
  const auto text = text_of(files.certificate, false);
  if (!text) return sim::fail(text.error());
  Pair out;
  const auto bio = bio_of(*text);
  out.certificate.reset(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  if (!out.certificate) {
    ERR_clear_error();
    return sim::fail(unusable(files.certificate, "contains no certificate in PEM form",
                              "openssl x509 -in FILE -out CERTIFICATE.pem converts other forms"));
  }
  while (auto* const issuer = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) out.issuers.emplace_back(issuer);
  ERR_clear_error();
  auto key = read_key(files.key);
  if (!key) return sim::fail(key.error());
  out.key = std::move(*key);
  const bool fit = X509_check_private_key(out.certificate.get(), out.key.get()) == 1;
  ERR_clear_error();
  if (fit) return out;
  return sim::fail(unusable(files.key, "is the key of another certificate than the first of " + files.certificate,
                            "name the two files that were made together"));
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  X509_digest(&certificate, EVP_sha256(), digest.data(), &size);
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    if (i > 0) out += ':';
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

std::vector<std::string> names_of(const X509& certificate) {
  using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
  const Names names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> out;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const auto* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* const text = ASN1_STRING_get0_data(name->d.dNSName);
    std::string each(reinterpret_cast<const char*>(text),
                     static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
    if (each.find_first_of(std::string("*\0", 2)) == std::string::npos) out.push_back(std::move(each));
  }
  return out;
}

}  // namespace nvmlkit::serve::tls
