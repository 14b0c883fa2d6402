#include "storage/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "storage/mutex.hpp"

namespace nvmlkit::storage {
namespace {

constexpr int kOpenFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return fd_; }  // NOLINT(google-explicit-constructor)

 private:
  int fd_;
};

Flaw flaw_of(const Header& header, const Format& format, Shape (*shape_of)(std::size_t), std::size_t file_size) {
  if (std::memcmp(header.magic, format.magic, sizeof format.magic) != 0) return Flaw::no_block;
  if (std::strncmp(header.version, format.version, sizeof format.version) != 0) return Flaw::other_version;
  if (header.layout != format.layout) return Flaw::other_layout;
  if (header.record_count > kMaxRecords || header.size != shape_of(header.record_count).size) return Flaw::damaged;
  if (file_size != header.size) return Flaw::other_length;
  return is_robust(header.lock) ? Flaw::none : Flaw::damaged;
}

// Few pages of a block are touched. Those around them would be fetched ahead, and made where the file has a hole.
void* without_read_ahead(void* mapping, std::size_t size) {
  if (mapping != MAP_FAILED) madvise(mapping, size, MADV_RANDOM);
  return mapping;
}

Opened with_flaw(Flaw flaw, int error = 0) {
  Opened out;
  out.flaw = flaw;
  out.error = error;
  return out;
}

}  // namespace

NewFile::NewFile(std::string path, const Shape& shape) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
  error_ = prepare(shape);
}

int NewFile::prepare(const Shape& shape) {
  fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) return errno;
  if (const int problem = posix_fallocate(fd_, 0, static_cast<off_t>(shape.sparse_at)); problem != 0) return problem;
  if (ftruncate(fd_, static_cast<off_t>(shape.size)) != 0) return errno;
  void* mapping = without_read_ahead(mmap(nullptr, shape.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0), shape.size);
  if (mapping == MAP_FAILED) return errno;
  mapping_ = mapping;
  return 0;
}

// The owner first: a change of owner may clear bits of the mode.
int permit(const std::string& path, const Permissions& permissions) {
  const auto owner = permissions.owner.value_or(static_cast<uid_t>(-1));
  const auto group = permissions.group.value_or(static_cast<gid_t>(-1));
  if ((permissions.owner || permissions.group) && chown(path.c_str(), owner, group) != 0) return errno;
  if (permissions.mode && chmod(path.c_str(), *permissions.mode) != 0) return errno;
  return 0;
}

bool NewFile::permit(const Permissions& permissions) {
  error_ = storage::permit(temporary_, permissions);
  return error_ == 0;
}

bool NewFile::publish() {
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    error_ = errno;
    return false;
  }
  temporary_.clear();
  return true;
}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Opened open_file(const std::string& path, const Format& format, Shape (*shape_of)(std::size_t)) {
  int fd = open(path.c_str(), O_RDWR | kOpenFlags);
  const bool writable = fd >= 0;
  if (!writable && (errno == EACCES || errno == EROFS || errno == EPERM))
    fd = open(path.c_str(), O_RDONLY | kOpenFlags);
  if (fd < 0 && errno == EISDIR) return with_flaw(Flaw::no_file);
  if (fd < 0) return with_flaw(errno == ENOENT ? Flaw::missing : Flaw::not_opened, errno);
  const Descriptor file(fd);

  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return with_flaw(Flaw::no_file);
  if (status.st_size < static_cast<off_t>(sizeof(Header))) return with_flaw(Flaw::no_block);
  Opened out;
  out.file_size = static_cast<std::size_t>(status.st_size);
  out.access = writable ? Access::shared : Access::read_only;
  out.header = std::make_unique<Header>();  // read, not mapped: the file may be cut off while it is looked at
  if (pread(file, out.header.get(), sizeof(Header), 0) != static_cast<ssize_t>(sizeof(Header)))
    return with_flaw(Flaw::not_read);
  out.flaw = flaw_of(*out.header, format, shape_of, out.file_size);
  if (out.flaw != Flaw::none) return out;

  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  const auto size = out.header->size;
  void* mapping = without_read_ahead(mmap(nullptr, size, protection, MAP_SHARED, file, 0), size);
  if (mapping == MAP_FAILED) return with_flaw(Flaw::not_mapped, errno);
  out.mapping = mapping;
  out.life_signs = std::make_unique<LifeSigns>(path, file);
  return out;
}

bool has_magic(const std::string& path, const Format& format) {
  const Descriptor file(open(path.c_str(), O_RDONLY | kOpenFlags));
  char begin[sizeof format.magic];
  return file >= 0 && read(file, begin, sizeof begin) == static_cast<ssize_t>(sizeof begin) &&
         std::memcmp(begin, format.magic, sizeof begin) == 0;
}

}  // namespace nvmlkit::storage
