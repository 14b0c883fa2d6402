#include "node/ready.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace nvmlkit::node {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProblem = "problem: ";

void write_whole(const fs::path& path, const std::string& line) {
  auto temporary = path;
  temporary += ".new";
  std::ofstream stream(temporary, std::ios::binary);
  if (!(stream << line << '\n').flush())
    throw fs::filesystem_error("cannot be written", path, {errno, std::generic_category()});
  stream.close();
  fs::rename(temporary, path);
}

}  // namespace

void notify(const char* state) {
  const char* const name = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (name == nullptr || (name[0] != '/' && name[0] != '@') || std::strlen(name) >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name, std::strlen(name));
  if (name[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(name));
  (void)!sendto(fd, state, std::strlen(state), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
  close(fd);
}

void write_ready_file(const fs::path& path) { write_whole(path, std::to_string(getpid())); }

void write_problem_file(const fs::path& path, const std::string& line) { write_whole(path, kProblem + line); }

Readiness read_ready_file(const fs::path& path) {
  Readiness out;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  if (line.starts_with(kProblem))
    out.problem = line.substr(std::strlen(kProblem));
  else
    std::istringstream(line) >> out.process;
  return out;
}

}  // namespace nvmlkit::node
