// vGPU types: the possible divisions of a vGPU host's GPUs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/generated/model.hpp"
#include "sim/generated/vgpu_types.hpp"

namespace nvmlkit::sim::vgpu {

// The driver of the host runs vGPUs on the GPU.
bool is_host(const model::Gpu& gpu);

// None where the GPU is no host, or hosts no types that are known.
std::span<const Type> types_of(const model::Gpu& gpu);

// A40-8Q of NVIDIA A40-8Q.
inline std::string_view short_name(const Type& type) { return type.name.substr(type.name.find(' ') + 1); }

// Null where the GPU has no such type. The name may be the short one.
const Type* type_by_id(const model::Gpu& gpu, std::uint32_t id);
const Type* type_by_name(const model::Gpu& gpu, std::string_view name);
const Type* type_of(const model::Gpu& gpu, const model::VgpuInstance& instance);

inline bool on_mig(const Type& type) { return !type.profile.empty(); }

std::uint64_t memory_bytes(const Type& type);
// What of that the guest does not get, and what it gets: 128 and 896 MiB of 1 GB.
std::uint64_t reserved_bytes(const Type& type);
inline std::uint64_t framebuffer_bytes(const Type& type) { return memory_bytes(type) - reserved_bytes(type); }
// GSP firmware of the host keeps so much for each vGPU.
std::uint64_t gsp_heap_bytes(const Type& type);

// How many vGPUs of a type fit on the GPU while all are of one size; on MIG over all GPU instances that there can be.
std::uint32_t max_instances(const model::Gpu& gpu, const Type& type);
// How many fit into one GPU instance, 0 where the type needs none.
std::uint32_t max_per_gpu_instance(const model::Gpu& gpu, const Type& type);

// As many of a type fit where sizes mix as where all are of one size; else the frame buffer is halved again and again.
bool mixes_without_loss(const model::Gpu& gpu);

// vGPUs of different size may run together: on the GPU, or in one of its GPU instances.
bool heterogeneous(const model::Gpu& gpu);
bool heterogeneous(const model::Gpu& gpu, std::uint32_t gpu_instance);

}  // namespace nvmlkit::sim::vgpu
