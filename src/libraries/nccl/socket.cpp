#include "libraries/nccl/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace nvmlkit::nccl {
namespace {

constexpr int kPauseMs = 50;

bool wait_for(int fd, short events, const IsOver& is_over) {
  while (true) {
    if (is_over && is_over()) return false;
    pollfd p{fd, events, 0};
    const int count = poll(&p, 1, is_over ? kPauseMs : -1);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

struct Choice {
  std::vector<std::string> names;
  bool excludes = false, is_exact = false;

  bool holds(const std::string& name) const {
    bool is_named = false;
    for (const auto& known : names) is_named |= is_exact ? name == known : name.starts_with(known);
    return names.empty() || is_named != excludes;
  }
};

// "eth,ib", "=eth0", "^docker": prefixes, exact names, and those to leave out.
Choice choice() {
  Choice out;
  const char* const value = std::getenv("NCCL_SOCKET_IFNAME");
  if (!value || !*value) return out;
  std::string text = value;
  if (text[0] == '^') out.excludes = true;
  if (out.excludes) text.erase(0, 1);
  if (!text.empty() && text[0] == '=') {
    out.is_exact = true;
    text.erase(0, 1);
  }
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (end > at) out.names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_usable(const ifaddrs& entry, bool loopback) {
  if (!entry.ifa_addr || (entry.ifa_flags & IFF_UP) == 0) return false;
  if (((entry.ifa_flags & IFF_LOOPBACK) != 0) != loopback) return false;
  if (entry.ifa_addr->sa_family == AF_INET) return true;
  if (entry.ifa_addr->sa_family != AF_INET6) return false;
  const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
  return !IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
}

}  // namespace

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  const bool is_v6 = address.any.sa_family == AF_INET6;
  const void* const bytes = is_v6 ? static_cast<const void*>(&address.v6.sin6_addr) : &address.v4.sin_addr;
  inet_ntop(address.any.sa_family, bytes, text, sizeof text);
  const auto port = std::to_string(ntohs(is_v6 ? address.v6.sin6_port : address.v4.sin_port));
  return is_v6 ? "[" + std::string(text) + "]<" + port + ">" : std::string(text) + "<" + port + ">";
}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Socket::shut_down() const {
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

bool Socket::send_all(const void* bytes, std::size_t size, const IsOver& is_over) const {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    if (!wait_for(fd_, POLLOUT, is_over)) return false;
    const auto sent = send(fd_, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent <= 0) continue;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Socket::receive_all(void* bytes, std::size_t size, const IsOver& is_over) const {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    if (!wait_for(fd_, POLLIN, is_over)) return false;
    const auto got = recv(fd_, at, size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got < 0) continue;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool own_address(Address& out, std::string& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  const auto wanted = choice();
  const char* const family = std::getenv("NCCL_SOCKET_FAMILY");
  const auto search = [&](bool loopback, int kind) {
    for (const auto* entry = all; entry; entry = entry->ifa_next) {
      if (!is_usable(*entry, loopback) || entry->ifa_addr->sa_family != kind || !wanted.holds(entry->ifa_name))
        continue;
      std::memcpy(&out.v6, entry->ifa_addr, kind == AF_INET6 ? sizeof out.v6 : sizeof out.v4);
      interface = entry->ifa_name;
      return true;
    }
    return false;
  };
  const bool v6_first = family && std::strcmp(family, "AF_INET6") == 0;
  const int kinds[] = {v6_first ? AF_INET6 : AF_INET, v6_first ? AF_INET : AF_INET6};
  bool found = false;
  for (const bool loopback : {false, true})
    for (const int kind : kinds) found = found || search(loopback, kind);
  freeifaddrs(all);
  return found;
}

Socket listen_at(Address& address) {
  Socket out(socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!out) return out;
  auto size = address.size();
  if (bind(out.fd(), &address.any, size) != 0 || listen(out.fd(), 1024) != 0 ||
      getsockname(out.fd(), &address.any, &size) != 0)
    out.close();
  return out;
}

Socket accept_from(const Socket& listener, const IsOver& is_over) {
  while (wait_for(listener.fd(), POLLIN, is_over)) {
    Socket out(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (out) {
      const int on = 1;
      setsockopt(out.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return out;
    }
    if (errno != EINTR && errno != ECONNABORTED && errno != EMFILE && errno != ENFILE) break;
  }
  return {};
}

Socket connect_to(const Address& address, const IsOver& is_over) {
  // The other end may not listen yet, or have more callers than it can queue.
  constexpr int kTries = 34;
  for (int i = 0; i < kTries && !(is_over && is_over()); ++i) {
    Socket out(socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!out) return out;
    if (connect(out.fd(), &address.any, address.size()) == 0) {
      const int on = 1;
      setsockopt(out.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return out;
    }
    if (errno != ECONNREFUSED && errno != ETIMEDOUT && errno != EHOSTUNREACH && errno != EAGAIN) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {};
}

}  // namespace nvmlkit::nccl
