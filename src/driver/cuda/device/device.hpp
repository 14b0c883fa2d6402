// One GPU or MIG device in this process: its primary context, its range of addresses, the process's part of its
// memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/memory/device_addresses.hpp"
#include "driver/host_kernels/interface.hpp"
#include "sim/mig/devices.hpp"
#include "sim/state/machine.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::cuda {

class Device {
 public:
  Device(const sim::Machine& machine, const sim::model::Gpu& gpu, CUdevice ordinal,
         std::optional<sim::mig::DeviceId> mig = std::nullopt)
      : machine_(machine), gpu_(gpu), ordinal_(ordinal), mig_(mig) {}

  CUdevice ordinal() const { return ordinal_; }
  const sim::Machine& machine() const { return machine_; }
  const sim::model::Gpu& gpu() const { return gpu_; }
  // The MIG device of the GPU that it is; nothing for a whole GPU.
  const std::optional<sim::mig::DeviceId>& mig() const { return mig_; }

  // read(gpu) of one state of the GPU; T{} where a writer that was stopped blocks all readers.
  template <class Read>
  auto read(Read read) const {
    decltype(read(gpu_)) out{};
    sim::state::consistently(machine_, machine_.sequence(gpu_), [&] { out = read(gpu_); });
    return out;
  }

  // Memory that programs can have, and what is left of it.
  std::uint64_t total_memory() const;
  std::uint64_t free_memory();
  // What cuMemGetInfo returns as the total.
  std::uint64_t shown_memory() const;

  // Addresses for `size` bytes of this GPU's memory; 0 when the memory is spent.
  CUdeviceptr take_memory(std::uint64_t size);
  void give_memory_back(CUdeviceptr address, std::uint64_t size);
  // The two parts of it: memory that is counted and has no addresses, and addresses alone.
  bool take(std::uint64_t size);
  void give_back(std::uint64_t size);
  CUdeviceptr reserve_addresses(std::uint64_t size);
  void give_addresses_back(CUdeviceptr address, std::uint64_t size);
  // Does the address lie in the range of this GPU, allocated or not?
  bool owns(CUdeviceptr address);

  // The primary context; the mutex guards all three.
  std::mutex primary_mutex;
  unsigned primary_retains = 0;
  unsigned primary_flags = 0;
  CUcontext primary = nullptr;

  // What the first kernel that failed left: the process makes no contexts on the GPU any more.
  std::atomic<CUresult> kernel_failure{CUDA_SUCCESS};

  std::atomic<std::int64_t> busy_since_ns{0};  // the time of the last report to the machine
  // What kernels ran for since then, by their pipe.
  std::atomic<std::int64_t> worked_ns[host_kernels::pipe_count] = {};

  // Contexts come and go: the machine lists the process while there is one, with the memory of its contexts. An error
  // where the compute mode forbids it, or too little memory is left.
  CUresult add_context();
  void remove_context();

 private:
  std::uint64_t room() const;
  bool has_addresses();
  // Reports the memory of the process to the machine. The last of several threads reports the last amount.
  void report();

  const sim::Machine& machine_;
  const sim::model::Gpu& gpu_;
  const CUdevice ordinal_;
  const std::optional<sim::mig::DeviceId> mig_;
  std::mutex memory_mutex_;
  DeviceAddresses range_;
  std::uint64_t used_ = 0;  // by this process
  std::mutex report_mutex_;
  std::mutex contexts_mutex_;
  unsigned contexts_ = 0;
  std::uint64_t context_bytes_ = 0;  // of each of them
};

}  // namespace nvmlkit::cuda
