#include "kernel_log/output.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace nvmlkit::kernel_log {
namespace {

constexpr const char* kJournalSocket = "/run/systemd/journal/socket";

std::string reason_of(int error) { return std::generic_category().message(error); }

// A datagram of the journal's native protocol. A value with several lines has its length before it, little endian.
std::string journal_entry(const Record& record) {
  std::string out = "PRIORITY=" + std::to_string(static_cast<std::uint32_t>(record.level)) +
                    "\nSYSLOG_FACILITY=0\nSYSLOG_IDENTIFIER=kernel\nMESSAGE\n";
  for (int i = 0; i < 8; ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(record.text.size()) >> (8 * i) & 0xFF);
  return out + record.text + '\n';
}

int connect_to_journal() {
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, kJournalSocket, sizeof address.sun_path - 1);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return descriptor;
  const int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

bool is_pipe(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && S_ISFIFO(file.st_mode);
}

// The kernel's log, under any name.
bool is_kernel_log(int descriptor) {
  constexpr auto kMemoryDevices = 1U, kKmsg = 11U;
  struct stat file {};
  return fstat(descriptor, &file) == 0 && S_ISCHR(file.st_mode) && major(file.st_rdev) == kMemoryDevices &&
         minor(file.st_rdev) == kKmsg;
}

// Both ends, so that it neither waits for a reader nor loses records when one goes.
int open_pipe(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (descriptor >= 0) (void)fcntl(descriptor, F_SETFL, O_NONBLOCK | O_DIRECT);  // packets, where the kernel has them
  return descriptor;
}

}  // namespace

sim::Expected<Output> Output::open(const std::string& target, std::optional<Format> format) {
  if (target == "-") return Output(dup(STDOUT_FILENO), "stdout", format.value_or(Format::dmesg), false);
  if (target == kJournalByKernel) return open(kKernelLog, Format::journald);
  const bool journal = target == kJournal;
  const int descriptor = journal           ? connect_to_journal()
                         : is_pipe(target) ? open_pipe(target)
                                           : ::open(target.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return sim::fail(sim::unusable_file(journal ? kJournalSocket : target, "cannot be opened: " + reason_of(errno)));
  if (is_kernel_log(descriptor) && format != Format::journald) format = Format::kmsg_write;
  return Output(descriptor, target, format.value_or(Format::kmsg), journal);
}

Output::Output(Output&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      target_(std::move(other.target_)),
      format_(other.format_),
      journal_(other.journal_) {}

Output& Output::operator=(Output&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  target_.swap(other.target_);
  std::swap(format_, other.format_);
  std::swap(journal_, other.journal_);
  return *this;
}

Output::~Output() {
  if (descriptor_ >= 0) close(descriptor_);
}

sim::Expected<void> Output::write(const Record& record) {
  const auto bytes = journal_ ? journal_entry(record) : print(record, format_);
  for (std::size_t done = 0; done < bytes.size();) {
    const auto written = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno == EAGAIN)
      return {};
    else if (errno != EINTR)
      return sim::fail(sim::unusable_file(target_, "takes no more records: " + reason_of(errno)));
  }
  return {};
}

}  // namespace nvmlkit::kernel_log
