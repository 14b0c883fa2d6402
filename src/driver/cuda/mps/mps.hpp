// This process and MPS: a client of the control daemon in CUDA_MPS_PIPE_DIRECTORY, if one runs there; its server; or
// neither.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda::mps {

// At cuInit, with the GPUs that the process sees. A client waits until its server is ready.
CUresult join(const std::vector<std::unique_ptr<Device>>& devices);

// A child of fork() is no client.
void leave_in_child();

bool is_client();
bool is_server();

// terminate_client of the control daemon has ended the work of this process. It asks the daemon's connection.
bool is_terminated();

// What the server holds on each GPU: users' outputs of nvidia-smi show 25 to 30 MiB.
inline constexpr std::uint64_t kServerMemory = 30ULL << 20;

// What the machine knows the process as: bits of sim::processes::Kind.
std::uint32_t kinds();

// The multiprocessors of the GPU, or of the MIG device on it, that the process may use, of so many.
long long multiprocessors(long long all, const sim::model::Gpu& gpu,
                          const std::optional<sim::mig::DeviceId>& mig = std::nullopt);

// The most memory of the GPU that it may hold; UINT64_MAX without a limit.
std::uint64_t memory_limit(const Device& device);

}  // namespace nvmlkit::cuda::mps
