#include "sim/vgpu/types.hpp"

#include <algorithm>

#include "sim/mig/profiles.hpp"

namespace nvmlkit::sim::vgpu {
namespace {

using model::Gpu;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

const Board* board_of(const Gpu& gpu) {
  if (!gpu.name) return nullptr;
  for (const auto& board : boards)
    if (board.gpu == gpu.name->view()) return &board;
  return nullptr;
}

template <class Matches>
const Type* find(const Gpu& gpu, Matches matches) {
  for (const auto& type : types_of(gpu))
    if (matches(type)) return &type;
  return nullptr;
}

// Memory of a GPU instance in GB, as its profile is named: 24 of 1g.24gb+gfx.
std::uint32_t named_gb(std::string_view profile) {
  std::uint32_t gb = 0;
  const auto dot = profile.find('.');
  for (const char c : profile.substr(dot == std::string_view::npos ? profile.size() : dot + 1)) {
    if (c < '0' || c > '9') break;
    gb = gb * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return gb;
}

bool is_on(const model::Field<std::uint32_t>& state) { return state && *state == model::EnableState::enabled; }

}  // namespace

bool is_host(const Gpu& gpu) {
  return gpu.virtualization.mode && *gpu.virtualization.mode == model::VirtualizationMode::host_vgpu;
}

std::span<const Type> types_of(const Gpu& gpu) {
  const auto* board = is_host(gpu) ? board_of(gpu) : nullptr;
  return board ? board->types : std::span<const Type>();
}

const Type* type_by_id(const Gpu& gpu, std::uint32_t id) {
  return find(gpu, [&](const Type& type) { return type.id == id; });
}

const Type* type_by_name(const Gpu& gpu, std::string_view name) {
  return find(gpu, [&](const Type& type) { return type.name == name || short_name(type) == name; });
}

const Type* type_of(const Gpu& gpu, const model::VgpuInstance& instance) {
  return instance.type ? type_by_name(gpu, instance.type->view()) : nullptr;
}

std::uint64_t memory_bytes(const Type& type) { return type.memory_gb * 1024 * kMib; }

std::uint64_t reserved_bytes(const Type& type) { return (type.memory_gb + 1) * 64 * kMib; }

std::uint64_t gsp_heap_bytes(const Type& type) { return (type.memory_gb < 8 ? 28 : 32) * kMib; }

std::uint32_t max_per_gpu_instance(const Gpu& gpu, const Type& type) {
  if (!on_mig(type)) return 0;
  return is_on(gpu.vgpu.mig_timeslicing) ? std::max(1U, named_gb(type.profile) / type.memory_gb) : 1;
}

std::uint32_t max_instances(const Gpu& gpu, const Type& type) {
  if (!on_mig(type)) {
    const auto* board = board_of(gpu);
    if (!board) return 0;
    const auto fit = std::min(board->memory_gb / type.memory_gb, board->most);
    return type.most != 0 ? std::min(fit, type.most) : fit;
  }
  const auto* profile = mig::profile_by_name(gpu, type.profile);
  const auto in_each = std::max(1U, named_gb(type.profile) / type.memory_gb);
  return profile ? profile->instances.value_or(0) * in_each : 0;
}

bool mixes_without_loss(const Gpu& gpu) {
  const auto* board = board_of(gpu);
  return board && board->mixes_without_loss;
}

bool heterogeneous(const Gpu& gpu) { return is_on(gpu.vgpu.heterogeneous_mode); }

bool heterogeneous(const Gpu& gpu, std::uint32_t gpu_instance) {
  for (const auto& said : gpu.vgpu.gpu_instances)
    if (said.id && *said.id == gpu_instance) return is_on(said.heterogeneous_mode);
  return false;
}

}  // namespace nvmlkit::sim::vgpu
