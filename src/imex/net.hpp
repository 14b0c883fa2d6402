// Sockets, and lines over them. The lines are those of the programs here; NVIDIA's speak another protocol.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nvmlkit::imex {

// A descriptor that closes itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// Empty where it fails; errno says why. An empty address is every interface.
Socket listen_at(const std::string& address, int port);
Socket listen_at_path(const std::string& path);
Socket connect_to(const std::string& host, int port, int seconds);
Socket connect_to_path(const std::string& path);

// Is it an address, or the name of one, of this host?
bool is_own_address(const std::string& host);

// False where the other side has gone.
bool send_text(const Socket& socket, std::string_view text);
// A line without its end. Nothing where the other side has gone, or says nothing for so long; negative: for ever.
std::optional<std::string> receive_line(const Socket& socket, int seconds);

}  // namespace nvmlkit::imex
