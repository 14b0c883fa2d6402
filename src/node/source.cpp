#include "node/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace nvmlkit::node {

Source::Source(const root::Copy& copy) : copy_(copy), file_(open(copy.from.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat about {};
  if (!file_ || fstat(file_.number(), &about) != 0) fail(errno);
  if (!S_ISREG(about.st_mode)) fail(EINVAL);
  size_ = static_cast<std::size_t>(about.st_size);
  if (!copy.patch) return;
  patched_ = find(copy.patch->text) + copy.patch->text.size();
  if (*patched_ >= size_) fail(EINVAL);
  at_ = 0;
}

std::string_view Source::next() {
  const auto begin = at_, size = fill(0);
  if (patched_ && *patched_ >= begin && *patched_ < begin + size) part_[*patched_ - begin] = copy_.patch->value;
  return {part_.data(), size};
}

// Reads what follows the first `kept` bytes of the part. Returns how many bytes it has then.
std::size_t Source::fill(std::size_t kept) {
  while (true) {
    const auto size = pread(file_.number(), part_.data() + kept, part_.size() - kept, static_cast<off_t>(at_));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail(errno);
    at_ += static_cast<std::size_t>(size);
    return kept + static_cast<std::size_t>(size);
  }
}

// Where the text is. Each part begins with the end of the one before, which the text may cross.
std::size_t Source::find(std::string_view text) {
  std::optional<std::size_t> found;
  const std::size_t overlap = text.size() - 1;
  for (std::size_t kept = 0, size = 0; (size = fill(kept)) > kept; kept = std::min(overlap, size)) {
    const std::string_view part(part_.data(), size);
    for (auto rest = part;;) {
      const auto* const hit = static_cast<const char*>(memmem(rest.data(), rest.size(), text.data(), text.size()));
      if (hit == nullptr) break;
      if (found) fail(EINVAL);
      found = at_ - static_cast<std::size_t>(part.data() + part.size() - hit);
      rest = part.substr(static_cast<std::size_t>(hit - part.data()) + 1);
    }
    std::memmove(part_.data(), part_.data() + size - std::min(overlap, size), std::min(overlap, size));
  }
  if (!found) fail(EINVAL);
  return *found;
}

void Source::fail(int reason) const {
  throw std::filesystem::filesystem_error("cannot be read", copy_.from, {reason, std::generic_category()});
}

}  // namespace nvmlkit::node
