#include "mps/wire/wire.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace nvmlkit::mps {
namespace {

constexpr std::string_view kHelloWord = "client devices=", kPartitionsKey = " partitions=";
constexpr std::string_view kServerKey = "server=", kPercentKey = " threads=", kSharesKey = " shares=",
                           kLimitsKey = " limits=";
constexpr std::size_t kLongestLine = 1 << 16;

std::string directory_of(const char* variable, const char* otherwise) {
  const char* const named = std::getenv(variable);
  return named != nullptr && *named != '\0' ? named : otherwise;
}

// "GPU-...=16,GPU-...=8". The id stays with the daemon.
std::string shares_text(const Shares& shares) {
  std::string text;
  for (const auto& share : shares)
    text += (text.empty() ? "" : ",") + share.device + "=" + std::to_string(share.multiprocessors);
  return text;
}

std::optional<Shares> shares_of(std::string_view text) {
  Shares shares;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto part = text.substr(0, end);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return {};
    Share share{std::string(part.substr(0, equals)), "", 0};
    if (std::from_chars(part.data() + equals + 1, part.data() + part.size(), share.multiprocessors).ec != std::errc())
      return {};
    shares.push_back(std::move(share));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shares;
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

std::string line_of(const Hello& hello) {
  return std::string(kHelloWord) + hello.devices + std::string(kPartitionsKey) + hello.partitions;
}

std::optional<Hello> hello_of(std::string_view line) {
  if (!line.starts_with(kHelloWord)) return {};
  line.remove_prefix(kHelloWord.size());
  const auto partitions_at = std::min(line.find(kPartitionsKey), line.size());
  return Hello{std::string(line.substr(0, partitions_at)),
               std::string(line.substr(std::min(partitions_at + kPartitionsKey.size(), line.size())))};
}

std::string line_of(const Grant& grant) {
  return std::string(kServerKey) + std::to_string(grant.server) + std::string(kPercentKey) +
         std::to_string(grant.percent) + std::string(kSharesKey) + shares_text(grant.shares) + std::string(kLimitsKey) +
         limits_text(grant.limits);
}

std::optional<Grant> grant_of(std::string_view line) {
  const auto percent_at = line.find(kPercentKey), shares_at = line.find(kSharesKey), limits_at = line.find(kLimitsKey);
  const bool whole = line.starts_with(kServerKey) && limits_at != std::string_view::npos;
  if (!whole || shares_at > limits_at || percent_at > shares_at) return {};
  Grant grant;
  const auto server = line.substr(kServerKey.size(), percent_at - kServerKey.size());
  if (std::from_chars(server.data(), server.data() + server.size(), grant.server).ec != std::errc()) return {};
  const auto after = percent_at + kPercentKey.size();
  const auto percent = percent_of(line.substr(after, shares_at - after));
  auto shares = shares_of(line.substr(shares_at + kSharesKey.size(), limits_at - shares_at - kSharesKey.size()));
  auto limits = limits_of(line.substr(limits_at + kLimitsKey.size()));
  if (!percent || !shares || !limits) return {};
  grant.percent = *percent;
  grant.shares = std::move(*shares);
  grant.limits = std::move(*limits);
  return grant;
}

}  // namespace nvmlkit::mps
