// Blocks in files that several processes map.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "storage/block.hpp"

namespace nvmlkit::storage {

// Who may open a file: as it is made, where nothing is stated.
struct Permissions {
  std::optional<uid_t> owner{};
  std::optional<gid_t> group{};
  std::optional<mode_t> mode{};
};

// errno, 0 when all went well.
int permit(const std::string& path, const Permissions& permissions);

// A file that is being made, for this user alone. It gets its name when it is published; a file of that name is
// replaced at once and as a whole. Without publish() nothing is left.
class NewFile {
 public:
  // Takes the room on disk up to Shape::sparse_at: a disk that is full later must not end the processes that map the
  // file.
  NewFile(std::string path, const Shape& shape);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int error() const { return error_; }  // errno, 0 when all went well
  // Zero bytes, shared with the file. Belongs to the caller, who unmaps Shape::size bytes.
  void* mapping() const { return mapping_; }
  // False, with an error, when this user may not give the file away.
  bool permit(const Permissions& permissions);
  bool publish();

 private:
  int prepare(const Shape& shape);

  std::string path_, temporary_;
  int fd_ = -1;
  int error_ = 0;
  void* mapping_ = nullptr;
};

// What keeps a file from being a block of a format.
enum class Flaw {
  none,
  missing,
  no_file,        // a folder, a device
  not_opened,     // see Opened::error
  no_block,       // another kind of file
  other_version,  // of the program that made it
  other_layout,   // made by the same version, with another layout
  other_length,   // than the header says
  damaged,        // the header contradicts itself
  not_read,
  not_mapped,  // see Opened::error
};

struct Opened {
  Flaw flaw = Flaw::none;
  int error = 0;                   // errno
  std::size_t file_size = 0;       // of a file with a flaw in its length
  std::unique_ptr<Header> header;  // as it was when the file was opened; null where it was not read
  void* mapping = nullptr;         // null where there is a flaw
  Access access = Access::read_only;
  std::unique_ptr<LifeSigns> life_signs{};
};

// Maps a block of the format. Nothing behind the header is touched before the header was checked. Where the file may
// not be written the block is read-only. `shape_of` returns the shape of a block with so many records.
Opened open_file(const std::string& path, const Format& format, Shape (*shape_of)(std::size_t record_count));

// Does the file begin with the magic bytes of the format, whatever its version?
bool has_magic(const std::string& path, const Format& format);

}  // namespace nvmlkit::storage
