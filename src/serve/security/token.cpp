#include "serve/security/token.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace nvmlkit::serve {
namespace {

constexpr std::size_t kShortest = 32, kLongest = 256;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

sim::Problem of_errno(const std::string& path) {
  return sim::unusable_file(path, std::generic_category().message(errno));
}

sim::Expected<std::string> write_new(const std::string& path) {
  auto token = make_token();
  if (!token) return token;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const std::string line = *token + "\n";
  if (file.get() < 0 || write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return sim::fail(of_errno(path));
  return token;
}

}  // namespace

sim::Expected<std::string> make_token() {
  std::array<std::uint8_t, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return sim::fail(sim::impossible("the kernel gives no random numbers"));
  std::string out;
  for (const auto byte : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

sim::Expected<std::string> token_of_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return errno == ENOENT ? write_new(path) : sim::fail(of_errno(path));
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return sim::fail(of_errno(path));
  if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || (about.st_mode & 077) != 0)
    return sim::fail(sim::unusable_file(path, "is open to other users; make it a file of yours with mode 600"));
  std::array<char, kLongest + 2> buffer{};
  const auto size = read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return sim::fail(of_errno(path));
  std::string out(buffer.data(), static_cast<std::size_t>(size));
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.pop_back();
  const bool plain = std::all_of(out.begin(), out.end(), [](char each) { return each > ' ' && each < 127; });
  if (out.size() < kShortest || out.size() > kLongest || !plain)
    return sim::fail(sim::unusable_file(path, "contains no token: one line of 32 to 256 visible characters"));
  return out;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (static_cast<unsigned char>(a[i] ^ b[i])));
  return different == 0;
}

}  // namespace nvmlkit::serve
