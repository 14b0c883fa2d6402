#include "sim/config/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace nvmlkit::sim::config {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

Problem too_large() { return {.kind = ProblemKind::unusable_file, .expected = "at most 16 MiB"}; }

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// A descriptor that closes itself, also when an allocation throws.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Expected<std::string> read_file(const std::string& path) {
  const auto refuse = [&](Problem problem) { return fail(std::move(problem).at({path, 0, 0})); };
  const auto unreadable = [&](int error) {
    return fail(unusable_file(path, "cannot be read: " + std::generic_category().message(error)));
  };
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0) return unreadable(errno);
  if (!S_ISREG(status.st_mode))
    return refuse(
        {.kind = ProblemKind::unusable_file, .expected = "a file", .given = std::string(kind_of(status.st_mode))});
  if (status.st_size > static_cast<off_t>(kLargestFile)) return refuse(too_large());
  std::string text;
  while (true) {
    const std::size_t had = text.size();
    if (had > kLargestFile) break;
    constexpr std::size_t kStep = std::size_t{64} << 10;
    text.resize(had + kStep);
    ssize_t got = 0;
    do got = read(file.number, text.data() + had, kStep);
    while (got < 0 && errno == EINTR);
    const int error = errno;
    text.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0) return unreadable(error);
    if (got == 0) break;
  }
  if (text.size() > kLargestFile) return refuse(too_large());
  return text;
}

}  // namespace nvmlkit::sim::config
