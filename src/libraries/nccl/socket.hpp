// TCP connections between ranks, and the address that others reach this host at.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <functional>
#include <string>

namespace nvmlkit::nccl {

// IPv4 or IPv6, with a port.
struct Address {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  Address() : v6{} {}
  socklen_t size() const { return any.sa_family == AF_INET6 ? sizeof v6 : sizeof v4; }
};
std::string text_of(const Address& address);

// Asked while a call waits: true ends it.
using IsOver = std::function<bool()>;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept;

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void close();
  // Ends calls of other threads that wait for it.
  void shut_down() const;

  // All bytes, or false: the other end is gone, or it is over.
  bool send_all(const void* bytes, std::size_t size, const IsOver& is_over = {}) const;
  bool receive_all(void* bytes, std::size_t size, const IsOver& is_over = {}) const;

 private:
  int fd_ = -1;
};

// The address of the interface that NCCL_SOCKET_IFNAME chooses, with no port; else of the first that is up and no
// loopback; else the loopback.
bool own_address(Address& out, std::string& interface);

// Listens at a free port of the address, which it adds.
Socket listen_at(Address& address);
Socket accept_from(const Socket& listener, const IsOver& is_over = {});
Socket connect_to(const Address& address, const IsOver& is_over = {});

}  // namespace nvmlkit::nccl
