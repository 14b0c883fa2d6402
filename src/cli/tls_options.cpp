#include "cli/tls_options.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/command_error.hpp"

namespace nvmlkit::cli {
namespace {

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* number = nullptr;
  if (address.sa_family == AF_INET) number = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.sa_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&six)) number = &six;
  }
  if (number == nullptr || inet_ntop(address.sa_family, number, text.data(), text.size()) == nullptr) return {};
  return text.data();
}

// The addresses of this host by which other hosts reach it.
std::vector<std::string> addresses_of_host() {
  std::vector<std::string> out;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return out;
  for (const auto* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    if (auto text = text_of(*each->ifa_addr); !text.empty()) out.push_back(std::move(text));
  }
  freeifaddrs(all);
  return out;
}

// gpus.example.com:9500 without its port.
std::string without_port(const std::string& name) {
  if (name.starts_with('[')) return name.substr(1, name.find(']') - 1);
  return name.substr(0, name.find(':'));
}

std::vector<std::string> names_to_sign(const std::string& address, const std::vector<std::string>& names) {
  std::vector<std::string> out{"localhost", "127.0.0.1", "::1"};
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const auto& name : names) add(without_port(name));
  if (address != "0.0.0.0" && address != "::") {
    add(address);
    return out;
  }
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) add(host.data());
  for (const auto& each : addresses_of_host()) add(each);
  return out;
}

}  // namespace

void TlsOptions::declare(Arguments& arguments) {
  arguments
      .option("--tls-cert", Kind::file, files_.certificate,
              "Speak TLS with the certificate of this PEM file, which those that issued it follow")
      .label("FILE");
  arguments.option("--tls-key", Kind::file, files_.key, "The key of the certificate, a PEM file without password")
      .label("FILE");
  arguments.flag("--tls-self-signed", self_signed_,
                 "Speak TLS with a certificate that the command makes; --tls-cert and --tls-key keep it for the next "
                 "time");
}

std::shared_ptr<const serve::tls::Identity> TlsOptions::identity(const std::string& address,
                                                                 const std::vector<std::string>& names) const {
  if (!given()) return nullptr;
  if (files_.certificate.empty() != files_.key.empty())
    throw CommandError(
        of_argument(files_.key.empty() ? "--tls-cert" : "--tls-key",
                    {.kind = sim::ProblemKind::missing,
                     .what = files_.key.empty() ? "--tls-key FILE is missing" : "--tls-cert FILE is missing",
                     .hint = "a certificate is used with its key"}));
  auto out = self_signed_ ? serve::tls::Identity::self_signed(names_to_sign(address, names), files_)
                          : serve::tls::Identity::of_files(files_);
  if (!out) throw CommandError(of_argument(self_signed_ ? "--tls-self-signed" : "--tls-cert", std::move(out.error())));
  return std::move(*out);
}

}  // namespace nvmlkit::cli
