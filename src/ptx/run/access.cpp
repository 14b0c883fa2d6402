// Memory accesses of lanes: windows, bounds, alignment.
#include <algorithm>
#include <cstring>
#include <new>

#include "ptx/lane_bytes.hpp"
#include "ptx/local_words.hpp"
#include "ptx/run/block.hpp"
#include "ptx/run/places.hpp"

namespace nvmlkit::ptx {

void Warp::fault(FaultKind kind, std::uint64_t address, const Instruction& i, unsigned lane) {
  auto& fault = block.worker().fault;
  if (fault.kind != FaultKind::none && fault.kind != FaultKind::lanes_ended) return;
  fault.kind = kind;
  fault.address = address;
  fault.line = i.line;
  fault.function = frame_->function->name;
  for (int k = 0; k < 3; ++k) {
    fault.block[k] = special_.ctaid[k][0];
    fault.thread[k] = special_.tid[k][lane];
  }
  if (kind == FaultKind::not_simulated) fault.text = frame_->function->not_simulated[i.side];
}

bool Warp::has_local(std::uint64_t size) {
  if (size <= local_capacity_) return true;
  const auto larger = lane_bytes(std::max(size, 2 * local_capacity_));
  if (larger > block.worker().grid.most_local * 2) return false;
  const auto move_lanes = [&](const std::byte* from, std::byte* to) {
    for (unsigned lane = 0; lane < kLanes && from; ++lane)
      std::copy_n(from + lane * local_capacity_, local_capacity_, to + lane * larger);
  };
  std::vector<Line> moved(larger * kLanes / sizeof(Line));
  move_lanes(local(), moved.data()->bytes);
  local_.swap(moved);
  if (checking.initialized) {
    std::vector<std::byte> written(larger * kLanes);
    move_lanes(local_written_.data(), written.data());
    local_written_.swap(written);
  }
  local_capacity_ = larger;
  return true;
}

// A function begins: what others left in its memory is not written.
void Warp::forget_local(std::uint64_t start, std::uint64_t size, Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1)
    if (auto* const written = size == 0 ? nullptr : local_written(first_of(left), start, size))
      std::fill_n(written, size, std::byte{});
}

void Warp::addresses(const Instruction& i, std::uint64_t* out) const { effective_addresses(*this, i, out); }

std::byte* Warp::reach_shared_by_lanes(const Instruction& i, std::uint64_t address, std::uint64_t bytes,
                                       std::size_t align) {
  if ((address & (align - 1)) == 0) {
    if (i.space == Space::global) return block.worker().global(address, bytes, i);
    const auto shared = block.shared();
    if (i.space == Space::shared && address < shared.size() && bytes <= shared.size() - address)
      return shared.data() + address;
  }
  Reach out;
  const Bounds bounds{address, address + bytes - align, address};
  if (!reach(i, bounds, align, out) || out.stride != 0) return nullptr;
  return reinterpret_cast<std::byte*>(out.base + address);
}

bool Warp::reach(const Instruction& i, Bounds addresses, std::size_t size, Reach& out) {
  auto [low, high, bits] = addresses;
  if ((bits & (size - 1)) != 0) return false;
  auto space = i.space;
  std::uint64_t window = 0;
  if (space == Space::generic) {
    window = low & std::uint64_t{0xFF} << 56;
    if ((high & std::uint64_t{0xFF} << 56) != window) return false;
    space = window == kSharedWindow  ? Space::shared
            : window == kLocalWindow ? Space::local
            : window == kParamWindow ? Space::kernel_param
                                     : Space::global;
    if (space == Space::global) window = 0;
    low -= window;
    high -= window;
  }
  const auto length = high - low + size;
  std::byte* start = nullptr;
  std::uint64_t room = 0;
  switch (space) {
    case Space::shared:
      start = block.shared().data();
      room = block.shared().size();
      break;
    case Space::local:
      start = local();
      room = local_capacity_;
      out.stride = local_capacity_;
      out.is_in_words = has_local_words_;
      out.window = window;
      break;
    case Space::param:
      start = frame_->params.data();
      room = frame_->function->frame_param_bytes;
      out.stride = room;
      break;
    case Space::kernel_param:
      start = const_cast<std::byte*>(block.worker().grid.params.data());
      room = block.worker().grid.params.size();
      break;
    case Space::generic:
    case Space::global:
    case Space::constant:
      start = block.worker().global(low, length, i);
      if (!start) return false;
      out.base = reinterpret_cast<std::uintptr_t>(start) - low;
      return true;
  }
  if (high >= room || size > room - high) return false;
  out.base = reinterpret_cast<std::uintptr_t>(start) - (out.is_in_words ? 0 : window);
  return true;
}

std::size_t Warp::bytes_in_row(Space space, std::uint64_t address) const {
  const bool is_local = space == Space::local || (space == Space::generic && address >> 56 == kLocalWindow >> 56);
  return is_local && has_local_words_ ? kLocalWord : ~std::size_t{0};
}

// The end of the launch, or with checks that of the lane.
std::byte* Warp::no_place(FaultKind kind, Space space, const Instruction& i, std::uint64_t address, std::size_t size,
                          unsigned lane) {
  const bool is_misaligned = kind == FaultKind::misaligned_address;
  refuse(is_misaligned ? BadAccess::Kind::misaligned : BadAccess::Kind::out_of_bounds,
         i.writes ? Touch::writes : Touch::reads, space, i, address, size, lane);
  return nullptr;
}

namespace {

std::byte* nothing_constant() {
  alignas(16) static thread_local std::byte zeros[64];
  std::fill(std::begin(zeros), std::end(zeros), std::byte{});
  return zeros;
}

}  // namespace

std::byte* Warp::resolve(Space space, const Instruction& i, std::uint64_t address, std::size_t size, unsigned lane) {
  if (address % size != 0) return no_place(FaultKind::misaligned_address, space, i, address, size, lane);
  if (space == Space::generic) {
    const auto window = address & (std::uint64_t{0xFF} << 56);
    if (window == kSharedWindow)
      space = Space::shared;
    else if (window == kLocalWindow)
      space = Space::local;
    else if (window == kParamWindow)
      space = Space::kernel_param;
    else
      space = Space::global;
    if (space != Space::global) address -= window;
  }
  std::byte* found = nullptr;
  const auto within = [&](std::byte* start, std::uint64_t room) {
    if (address < room && size <= room - address) found = start + address;
  };
  switch (space) {
    case Space::shared:
      within(block.shared().data(), block.shared().size());
      if (!found) found = block.shared_of_peer(address, size);
      break;
    case Space::local:
      within(local() + lane * local_capacity_, local_capacity_);
      if (has_local_words_ && found) found = size <= kLocalWord ? local() + place_in_words(address, lane) : nullptr;
      break;
    case Space::param:
      within(frame_->param(lane), frame_->function->frame_param_bytes);
      break;
    case Space::kernel_param: {
      const auto params = block.worker().grid.params;
      within(const_cast<std::byte*>(params.data()), params.size());
      break;
    }
    case Space::constant:
      found = block.worker().global(address, size, i);
      // A GPU reads zeros behind its constants.
      if (!found && !block.worker().grid.checks) found = nothing_constant();
      break;
    case Space::generic:
    case Space::global:
      found = block.worker().global(address, size, i);
      break;
  }
  return found ? found : no_place(FaultKind::illegal_address, space, i, address, size, lane);
}

}  // namespace nvmlkit::ptx
