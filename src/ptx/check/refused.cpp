// Lanes whose access was refused: the finding, and their end.
#include <utility>

#include "ptx/check/block_watch.hpp"
#include "ptx/check/extents.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {

std::vector<Place> Warp::places_of(const Frame* frame, std::uint32_t pc) {
  std::vector<Place> out;
  for (; frame; frame = frame->caller) {
    out.push_back({frame->function, pc, frame->function->code[pc].line});
    pc = frame->return_to - 1;
  }
  return out;
}

BadAccess Warp::bad_access(BadAccess::Kind kind, Touch touch, Space space, const Instruction& i, std::uint64_t address,
                           std::size_t size, unsigned lane, const std::vector<Place>* places) const {
  BadAccess access;
  access.kind = kind;
  access.touch = touch;
  access.space = space;
  access.address = address;
  access.size = static_cast<std::uint32_t>(size);
  for (int k = 0; k < 3; ++k) {
    access.block[k] = special_.ctaid[k][0];
    access.thread[k] = special_.tid[k][lane];
  }
  access.places = places ? *places : places_of(frame_, static_cast<std::uint32_t>(&i - frame_->function->code.data()));
  return access;
}

void Warp::refuse_free(const Instruction& i, std::uint64_t address, unsigned lane) {
  if (auto* const checks = block.worker().grid.checks)
    checks->found(bad_access(BadAccess::Kind::bad_free, Touch::changes, Space::global, i, address, 0, lane));
}

namespace {

// What a GPU makes of an address where nothing is. Some ends it has only a general word for; `text` tells them apart.
FaultKind fault_of(const Grid& grid, Space space, std::uint64_t address, std::string& text) {
  if (space == Space::shared && address >= Group::window_of(0)) {
    if (!grid.is_cluster_launch) return FaultKind::illegal_instruction;
    text = "access to a block that the cluster lacks";
    return FaultKind::trap;
  }
  return FaultKind::illegal_address;
}

}  // namespace

void Warp::refuse(BadAccess::Kind kind, Touch touch, Space space, const Instruction& i, std::uint64_t address,
                  std::size_t size, unsigned lane, const std::vector<Place>* places) {
  auto& worker = block.worker();
  if (!worker.grid.checks && kind == BadAccess::Kind::uninitialized) return;
  if (!worker.grid.checks) {
    if (kind == BadAccess::Kind::misaligned) return fault(FaultKind::misaligned_address, address, i, lane);
    std::string text;
    const auto known = worker.fault.kind;
    fault(fault_of(worker.grid, space, address, text), address, i, lane);
    if (known == FaultKind::none) worker.fault.text = std::move(text);
    return;
  }
  auto access = bad_access(kind, touch, space, i, address, size, lane, places);
  if (const auto* const extents = worker.grid.module->extents.get()) {
    const bool is_shared = space == Space::shared;
    const auto base = is_shared ? 0 : extents->image_start;
    const bool is_near = is_shared || address - base < extents->image_size;
    const auto* const nearest =
        !is_near ? nullptr : (is_shared ? extents->shared : extents->image).nearest(address - base);
    if (nearest) {
      access.nearest = nearest->variable;
      access.nearest_start = base + nearest->start;
      access.nearest_size = nearest->size;
    }
  }
  worker.grid.checks->found(access);
  if (kind == BadAccess::Kind::uninitialized) return;
  refused_ |= Mask{1} << lane;
  if (worker.fault.kind == FaultKind::none) worker.fault.kind = FaultKind::lanes_ended;
}

// After a step that refused lanes: they end, the others go on. False: another fault ends the launch.
bool Warp::ends_refused() {
  auto& fault = block.worker().fault;
  if (fault.kind != FaultKind::lanes_ended) return false;
  fault = {};
  const auto lanes = std::exchange(refused_, 0);
  for (std::size_t number = 0; number < fragments_.size();) {
    const auto own = fragments_[number];
    const auto ended = own.mask & lanes;
    if (ended == own.mask)
      take(number);
    else
      fragments_[number++].mask &= ~ended;
    if (ended == 0) continue;
    if (auto* const watch = block.watch()) watch->ends(*this, ended);
    end(own.frame, ended);
  }
  return true;
}

}  // namespace nvmlkit::ptx
