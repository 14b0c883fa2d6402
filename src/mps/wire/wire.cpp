#include "mps/wire/wire.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace nvmlkit::mps {
namespace {

constexpr std::string_view kHelloWord = "client devices=";
constexpr std::string_view kServerKey = "server=", kPercentKey = " threads=", kLimitsKey = " limits=";
constexpr std::size_t kLongestLine = 1 << 16;

std::string directory_of(const char* variable, const char* otherwise) {
  const char* const named = std::getenv(variable);
  return named != nullptr && *named != '\0' ? named : otherwise;
}

}  // namespace

std::string pipe_directory() { return directory_of(kPipeVariable, "/tmp/nvidia-mps"); }
std::string log_directory() { return directory_of(kLogVariable, "/var/log/nvidia-mps"); }

int connect_to(const std::string& directory) {
  const auto path = directory + "/control";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  int result = 0;
  do {
    result = connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return connection;
  close(connection);
  return -1;
}

bool send_text(int connection, std::string_view text) {
  while (!text.empty()) {
    const auto sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool send_line(int connection, std::string_view line) { return send_text(connection, std::string(line) + "\n"); }

std::optional<std::string> receive_line(int connection) {
  std::string line;
  for (;;) {
    char next = 0;
    const auto got = recv(connection, &next, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || line.size() == kLongestLine) return {};
    if (next == '\n') return line;
    line += next;
  }
}

std::string line_of(const Hello& hello) { return std::string(kHelloWord) + hello.devices; }

std::optional<Hello> hello_of(std::string_view line) {
  if (!line.starts_with(kHelloWord)) return {};
  return Hello{std::string(line.substr(kHelloWord.size()))};
}

std::string line_of(const Grant& grant) {
  return std::string(kServerKey) + std::to_string(grant.server) + std::string(kPercentKey) +
         std::to_string(grant.percent) + std::string(kLimitsKey) + limits_text(grant.limits);
}

std::optional<Grant> grant_of(std::string_view line) {
  const auto percent_at = line.find(kPercentKey), limits_at = line.find(kLimitsKey);
  if (!line.starts_with(kServerKey) || percent_at == std::string_view::npos || limits_at == std::string_view::npos ||
      limits_at < percent_at)
    return {};
  Grant grant;
  const auto server = line.substr(kServerKey.size(), percent_at - kServerKey.size());
  if (std::from_chars(server.data(), server.data() + server.size(), grant.server).ec != std::errc()) return {};
  const auto after = percent_at + kPercentKey.size();
  const auto percent = percent_of(line.substr(after, limits_at - after));
  auto limits = limits_of(line.substr(limits_at + kLimitsKey.size()));
  if (!percent || !limits) return {};
  grant.percent = *percent;
  grant.limits = std::move(*limits);
  return grant;
}

}  // namespace nvmlkit::mps
