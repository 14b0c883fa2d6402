#include "imex/net.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace nvmlkit::imex {
namespace {

constexpr std::size_t kLongestLine = 65536;
using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port, int flags) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  if (getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    found = nullptr;
  return {found, &freeaddrinfo};
}

bool wait_for(int descriptor, short what, int seconds) {
  pollfd entry{descriptor, what, 0};
  int result = 0;
  do result = poll(&entry, 1, seconds < 0 ? -1 : seconds * 1000);
  while (result < 0 && errno == EINTR);
  return result > 0;
}

bool connect_within(int descriptor, const addrinfo& address, int seconds) {
  if (connect(descriptor, address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS || !wait_for(descriptor, POLLOUT, seconds)) return false;
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

bool fill(sockaddr_un& address, const std::string& path) {
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return errno = ENAMETOOLONG, false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Socket listen_at(const std::string& address, int port) {
  const auto found = addresses_of(address, port, AI_PASSIVE);
  if (!found) return errno = EADDRNOTAVAIL, Socket();
  Socket socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!socket || bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(socket.get(), 128) != 0)
    return Socket();
  return socket;
}

Socket listen_at_path(const std::string& path) {
  sockaddr_un address{};
  if (!fill(address, path)) return Socket();
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  unlink(path.c_str());  // of a service that was killed
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), 128) != 0)
    return Socket();
  return socket;
}

Socket connect_to(const std::string& host, int port, int seconds) {
  const auto found = addresses_of(host, port, 0);
  for (const addrinfo* one = found.get(); one; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket && connect_within(socket.get(), *one, seconds)) return socket;
  }
  return Socket();
}

Socket connect_to_path(const std::string& path) {
  sockaddr_un address{};
  if (!fill(address, path)) return Socket();
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return Socket();
  return socket;
}

bool is_own_address(const std::string& host) {
  const auto found = addresses_of(host, 0, 0);
  for (const addrinfo* one = found.get(); one; one = one->ai_next) {
    const Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket && bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return true;
  }
  return false;
}

bool send_text(const Socket& socket, std::string_view text) {
  while (!text.empty()) {
    const auto sent = send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket.get(), POLLOUT, 5)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::optional<std::string> receive_line(const Socket& socket, int seconds) {
  std::string line;
  while (line.size() < kLongestLine) {
    if (!wait_for(socket.get(), POLLIN, seconds)) return std::nullopt;
    char byte = 0;
    const auto got = recv(socket.get(), &byte, 1, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

}  // namespace nvmlkit::imex
