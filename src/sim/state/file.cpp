#include "sim/state/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim::state {
namespace {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return fd_; }  // NOLINT(google-explicit-constructor)

 private:
  int fd_;
};

std::string reason(int error) { return std::generic_category().message(error); }

template <class T>
const std::byte* bytes(const T& object) {
  return reinterpret_cast<const std::byte*>(&object);
}

bool well_formed(const Machine& machine) {
  if (!model::well_formed(model::descriptor<model::Machine>(), bytes(machine.host()))) return false;
  return std::all_of(machine.gpus().begin(), machine.gpus().end(), [](const model::Gpu& gpu) {
    return model::well_formed(model::descriptor<model::Gpu>(), bytes(gpu));
  });
}

// What the header says against it, without touching anything behind the header. Empty if nothing.
std::string complaint(const Header& header, std::size_t file_size) {
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return "is no state file of nvmlkit";
  const std::string_view version(header.version, strnlen(header.version, sizeof header.version));
  if (version != NVMLKIT_VERSION) return "was made by nvmlkit " + config::quote(version) + ", this is " NVMLKIT_VERSION;
  if (header.layout != layout_hash()) return "was made by another build of nvmlkit " NVMLKIT_VERSION;
  if (header.gpu_count > kMaxGpus || header.size != total_size(header.gpu_count)) return "is damaged";
  if (file_size != header.size)
    return "has " + std::to_string(file_size) + " bytes where its header says " + std::to_string(header.size);
#ifdef __GLIBC__
  // A lock of another kind would not be released when its owner dies.
  Header fresh{};
  if (!make_header(fresh, 0) || header.lock.__data.__kind != fresh.lock.__data.__kind) return "is damaged";
#endif
  return {};
}

std::string refuse(const std::string& path, const std::string& why) {
  return path + ": " + why + "; make it with `nvmlkit up`, or unset NVMLKIT_STATE";
}

bool write_machine(void* block, const Machine& machine, std::string_view origin) {
  const auto gpus = machine.gpus().size();
  const auto shared = Machine::adopt(block, gpus, Access::shared);
  if (!shared || !make_header(shared->header(), gpus)) return false;
  shared->header().layout = layout_hash();
  const auto size = std::min(origin.size(), sizeof(Header::origin) - 1);
  std::memcpy(shared->header().origin, origin.data(), size);
  model::copy(shared->host(), machine.host());
  for (std::size_t i = 0; i < gpus; ++i) model::copy(shared->gpus()[i], machine.gpus()[i]);
  faults::update_attention(*shared);
  return true;
}

}  // namespace

bool save(const Machine& machine, const std::string& path, std::string_view origin, std::string& error) {
  const auto size = total_size(machine.gpus().size());
  std::string temporary = path + ".XXXXXX";
  const auto fail = [&](int problem) {
    if (problem != 0) error = path + ": cannot be made: " + reason(problem);
    return false;
  };
  const File file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file < 0) return fail(errno);
  const auto abandon = [&](int problem) {
    unlink(temporary.c_str());
    return fail(problem);
  };
  // The room is taken now: a disk that is full later must not end the processes that map the file. That of the process
  // tables is taken when they are written, see Lock::replace.
  const auto taken = tables_at(machine.gpus().size());
  if (const int problem = posix_fallocate(file, 0, static_cast<off_t>(taken)); problem != 0) return abandon(problem);
  if (ftruncate(file, static_cast<off_t>(size)) != 0) return abandon(errno);
  void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (block == MAP_FAILED) return abandon(errno);
  if (!write_machine(block, machine, origin)) return abandon(ENOMEM);
  return rename(temporary.c_str(), path.c_str()) == 0 || abandon(errno);
}

std::unique_ptr<Machine> attach(const std::string& path, std::string& error) {
  const auto fail = [&](const std::string& why) {
    error = refuse(path, why);
    return nullptr;
  };
  constexpr int kFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  int fd = open(path.c_str(), O_RDWR | kFlags);
  const bool writable = fd >= 0;
  if (!writable && (errno == EACCES || errno == EROFS || errno == EPERM)) fd = open(path.c_str(), O_RDONLY | kFlags);
  if (fd < 0 && errno == EISDIR) return fail("is no file");
  if (fd < 0) return fail(errno == ENOENT ? "there is no such file" : "cannot be opened: " + reason(errno));
  const File file(fd);

  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return fail("is no file");
  if (status.st_size < static_cast<off_t>(sizeof(Header))) return fail("is no state file of nvmlkit");
  const auto header = std::make_unique<Header>();  // read, not mapped: it may be cut off while it is looked at
  if (pread(file, header.get(), sizeof(Header), 0) != static_cast<ssize_t>(sizeof(Header)))
    return fail("cannot be read");
  if (const auto why = complaint(*header, static_cast<std::size_t>(status.st_size)); !why.empty()) return fail(why);

  void* block = mmap(nullptr, header->size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  if (block == MAP_FAILED) return fail("cannot be mapped: " + reason(errno));
  auto machine = Machine::adopt(block, header->gpu_count, writable ? Access::shared : Access::read_only);
  if (!machine) return fail("out of memory");
  if (!well_formed(*machine)) return fail("is damaged");
  return machine;
}

bool is_state_file(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  char begin[sizeof kMagic];
  return file >= 0 && read(file, begin, sizeof begin) == static_cast<ssize_t>(sizeof begin) &&
         std::memcmp(begin, kMagic, sizeof kMagic) == 0;
}

}  // namespace nvmlkit::sim::state
