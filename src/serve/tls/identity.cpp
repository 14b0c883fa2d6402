#include "serve/tls/identity.hpp"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>

#include "serve/tls/certificate.hpp"
#include "serve/tls/self_signed.hpp"

namespace nvmlkit::serve::tls {
namespace {

// Of TLS 1.2: forward secrecy and authenticated encryption. All of TLS 1.3 have both.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

// evhttp speaks HTTP/1.1 alone. A client that offers nothing of it goes on without a choice.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                    unsigned int offered_size, void*) {
  static constexpr std::array<unsigned char, 9> kOwn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, kOwn.data(), kOwn.size(), offered, offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

class OpensslIdentity final : public Identity {
 public:
  explicit OpensslIdentity(Pair pair) : pair_(std::move(pair)), context_(SSL_CTX_new(TLS_server_method())) {}

  bool prepare() {
    auto* const context = context_.get();
    if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(context, kCiphers) != 1 ||
        SSL_CTX_use_cert_and_key(context, pair_.certificate.get(), pair_.key.get(), nullptr, 1) != 1)
      return false;
    for (const auto& issuer : pair_.issuers)
      if (SSL_CTX_add1_chain_cert(context, issuer.get()) != 1) return false;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    return true;
  }

  std::string fingerprint() const override { return fingerprint_of(*pair_.certificate); }
  std::vector<std::string> names() const override { return names_of(*pair_.certificate); }
  bool has_address(const std::string& address) const override {
    return X509_check_ip_asc(pair_.certificate.get(), address.c_str(), 0) == 1;
  }
  bool is_out_of_time() const override {
    return X509_cmp_current_time(X509_get0_notBefore(pair_.certificate.get())) > 0 ||
           X509_cmp_current_time(X509_get0_notAfter(pair_.certificate.get())) < 0;
  }

  bufferevent* connection(event_base* base) const override {
    auto* const ssl = SSL_new(context_.get());
    if (ssl == nullptr) return nullptr;
    auto* const out = bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    if (out == nullptr)
      SSL_free(ssl);
    else
      bufferevent_openssl_set_allow_dirty_shutdown(out, 1);  // the end of a body is known without it
    return out;
  }

 private:
  Pair pair_;
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context_;
};

sim::Expected<std::shared_ptr<const Identity>> identity_of(Pair pair, const Files& files) {
  auto out = std::make_shared<OpensslIdentity>(std::move(pair));
  if (out->prepare()) return out;
  ERR_clear_error();
  auto problem = sim::unusable_file(files.certificate, "is a certificate that OpenSSL refuses for a server");
  problem.hint = "its key may be too short: RSA needs 2048 bits";
  return sim::fail(std::move(problem));
}

}  // namespace

sim::Expected<std::shared_ptr<const Identity>> Identity::of_files(const Files& files) {
  auto pair = read_pair(files);
  if (!pair) return sim::fail(pair.error());
  return identity_of(std::move(*pair), files);
}

sim::Expected<std::shared_ptr<const Identity>> Identity::self_signed(const std::vector<std::string>& names,
                                                                     const Files& files) {
  const bool kept = !files.certificate.empty();
  if (kept && (access(files.certificate.c_str(), F_OK) == 0 || access(files.key.c_str(), F_OK) == 0))
    return of_files(files);
  auto pair = make_pair(names);
  if (!pair) return sim::fail(pair.error());
  if (kept)
    if (auto written = write_pair(*pair, files); !written) return sim::fail(written.error());
  return identity_of(std::move(*pair), files);
}

}  // namespace nvmlkit::serve::tls
