#include "ptx/check/bounds.hpp"

#include "ptx/check/extents.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {
namespace {

bool is_in_shared(Warp& w, std::uint64_t address, std::uint64_t size) {
  const auto& grid = w.block.worker().grid;
  if (!w.block.shared_of_peer(address, size) && address >= Group::window_of(0)) return false;
  const auto offset = Group::offset_of(address);
  if (grid.module->extents->shared.hold(offset, size)) return true;
  const Extent dynamic{grid.module->shared_bytes, grid.dynamic_shared, nullptr};
  return dynamic.holds(offset, size) || w.block.is_reserved(offset, size);
}

bool is_in_global(Warp& w, const Instruction& i, std::uint64_t address, std::uint64_t size) {
  auto& worker = w.block.worker();
  if (!worker.global(address, size, i)) return false;
  const auto& extents = *worker.grid.module->extents;
  const auto offset = address - extents.image_start;
  return offset >= extents.image_size || extents.image.hold(offset, size);
}

}  // namespace

bool is_there(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::uint64_t size) {
  switch (space) {
    case Space::shared:
      return is_in_shared(w, address, size);
    case Space::local:
      return Extent{0, w.local_start() + w.frame().function->local_bytes, nullptr}.holds(address, size);
    case Space::kernel_param:
      return Extent{0, w.block.worker().grid.params.size(), nullptr}.holds(address, size);
    case Space::param:
      return true;
    case Space::generic:
    case Space::global:
    case Space::constant:
      return is_in_global(w, i, address, size);
  }
  return false;
}

}  // namespace nvmlkit::ptx
