#include "ptx/check/written.hpp"

#include <cstring>

#include "ptx/check/bits/unwritten.hpp"
#include "ptx/check/bounds.hpp"
#include "ptx/check/touched.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {
namespace {

// The first byte that nothing wrote, or null.
const std::byte* unwritten_in(const std::byte* written, std::size_t size) {
  return static_cast<const std::byte*>(std::memchr(written, 0, size));
}

// Whether all bits of all of them were written.
bool are_written(const std::byte* written, std::size_t size) {
  auto all = std::byte{kWritten};
  for (std::size_t k = 0; k < size; ++k) all &= written[k];
  return all == std::byte{kWritten};
}

bool are_a_row(const std::uint64_t* addresses, Mask lanes, std::uint32_t size) {
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    differs |= addresses[lane] ^ (addresses[0] + std::uint64_t{lane} * size);
  return lanes == kAllLanes && differs == 0;
}

void report(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::size_t size, unsigned lane) {
  w.refuse(BadAccess::Kind::uninitialized, Touch::reads, space, i, address, size, lane);
}

// What a lane reads. A load may use less of it than it brings; other instructions are said to use all bytes.
void check_read(Warp& w, const Instruction& i, const CheckedForm& form, Space space, std::uint64_t address,
                unsigned lane, const std::byte* written) {
  if (are_written(written, form.size)) return;
  if (form.touch == Touch::reads) return note_loaded(w, i, form, lane, {&i, address, form.size, space}, written);
  if (unwritten_in(written, form.size)) report(w, i, space, address, form.size, lane);
}

// Lanes whose bytes lie near each other; `written` is what is known of the lowest one.
void check_near(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes,
                Bounds bounds, Space space, std::byte* written) {
  const std::size_t length = bounds.high - bounds.low + form.size;
  if (form.touch != Touch::writes && !are_written(written, length))
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const auto lane = first_of(left);
      auto address = addresses[lane];
      const auto* const own = written + (address - bounds.low);
      space_of(i.space, address);
      check_read(w, i, form, space, address, lane, own);
    }
  if (form.touch == Touch::reads) return;
  if (are_a_row(addresses, lanes, form.size)) {
    std::memset(written, kWritten, length);
    return;
  }
  for (Mask left = lanes; left != 0; left &= left - 1)
    std::memset(written + (addresses[first_of(left)] - bounds.low), kWritten, form.size);
}

constexpr std::uint64_t kNear = 16 * 1024;

}  // namespace

std::byte* written_at(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::uint64_t size,
                      unsigned lane) {
  auto& block = w.block;
  if (space == Space::shared) {
    const auto rank = address < Group::window_of(0) ? block.rank() : (address >> Group::kRankShift) - 1;
    if (rank >= block.group().size()) return nullptr;
    return block.group().member(static_cast<unsigned>(rank)).written(Group::offset_of(address), size);
  }
  if (space == Space::local) return w.local_written(lane, address, size);
  if (space != Space::global && space != Space::generic) return nullptr;
  return block.worker().global(address, size, i) ? block.worker().written(address) : nullptr;
}

void check_written(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes) {
  if (i.space == Space::constant) return;
  const auto bounds = bounds_of(addresses, lanes);
  if (bounds.high - bounds.low < kNear && ((bounds.high ^ bounds.low) & kWindows) == 0) {
    auto low = bounds.low;
    const auto space = space_of(i.space, low);
    auto* const written =
        space == Space::local ? nullptr : written_at(w, i, space, low, bounds.high - bounds.low + form.size, 0);
    if (written) return check_near(w, i, form, addresses, lanes, bounds, space, written);
  }
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = first_of(left);
    auto address = addresses[lane];
    const auto space = space_of(i.space, address);
    auto* const written = written_at(w, i, space, address, form.size, lane);
    if (!written) continue;
    if (form.touch != Touch::writes) check_read(w, i, form, space, address, lane, written);
    if (form.touch != Touch::reads) std::memset(written, kWritten, form.size);
  }
}

void check_written(Warp& w, const Instruction& i, const TouchedBytes& pieces, Mask lanes) {
  Mask reported = 0;
  const std::byte* source = nullptr;  // of a copy that follows
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const auto& p = pieces[k];
    if (p.size == 0 || !(lanes >> p.lane & 1)) continue;
    auto* const written = written_at(w, i, p.space, p.address, p.size, p.lane);
    const bool is_source = k + 1 < pieces.size() && pieces[k + 1].is_copy;
    if (is_source) {
      source = written;
      continue;
    }
    if (!written) continue;
    if (p.touch != Touch::writes && !(reported >> p.lane & 1))
      if (const auto* const first = unwritten_in(written, p.size)) {
        const auto address = p.size > 16 ? p.address + static_cast<std::uint64_t>(first - written) : p.address;
        report(w, i, p.space, address, p.size, p.lane);
        reported |= Mask{1} << p.lane;
      }
    if (p.touch == Touch::reads) continue;
    if (p.is_copy && source)
      std::memmove(written, source, p.size);
    else
      std::memset(written, kWritten, p.size);
  }
}

void note_written(Warp& w, const Instruction& i, std::uint64_t address, std::uint64_t size) {
  if (!checking.initialized) return;
  const auto space = space_of(Space::generic, address);
  for (unsigned lane = 0; lane < (space == Space::local ? kLanes : 1); ++lane)
    if (auto* const written = written_at(w, i, space, address, size, lane)) std::memset(written, kWritten, size);
}

}  // namespace nvmlkit::ptx
