#include "driver/cuda/device/device.hpp"

#include <unistd.h>

#include <algorithm>

#include "driver/cuda/device/activity.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/mps/mps.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/limits.hpp"
#include "sim/processes/memory.hpp"

namespace nvmlkit::cuda {

std::uint64_t Device::total_memory() const {
  return read([&](const sim::model::Gpu& gpu) {
    if (mig_) {
      const auto device = sim::mig::find_device(gpu, *mig_);
      return device ? device->profile->memory_mib.value_or(0) << 20 : std::uint64_t{0};
    }
    const auto total = gpu.memory.total_bytes.value_or(0);
    const auto reserved = gpu.memory.reserved_bytes.value_or(0);
    return total > reserved ? total - reserved : std::uint64_t{0};
  });
}

namespace {

// What a driver keeps for a context: 2 KiB for each thread that can run at once, half of it the stack. An H100 (270,336
// threads) has 527 MiB less with a context. 555 MiB on an RTX PRO 6000 (288,768) and 107 MiB on an RTX 4060 Ti (52,224)
// are published (llama.cpp, pull request 23604).
std::uint64_t memory_of_context(const Device& device) {
  constexpr std::uint64_t kOfThread = 2048;
  if (mps::is_server()) return mps::kServerMemory;
  const auto multiprocessors = attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const auto threads = attribute_of(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  return DeviceAddresses::in_blocks(static_cast<std::uint64_t>(multiprocessors) * static_cast<std::uint64_t>(threads) *
                                    kOfThread);
}

}  // namespace

// The memory that others do not use, by the machine's data, and no more than the limits of the process's cgroups and of
// MPS leave.
std::uint64_t Device::room() const {
  const auto total = total_memory();
  const auto index = machine_.index_of(gpu_);
  const auto others = read([&](const sim::model::Gpu& gpu) {
    std::uint64_t held = 0;
    sim::processes::for_each_client(machine_, index, [&](const auto& client, sim::processes::Life life) {
      if (mig_ && client.gpu_instance != mig_->instance) return;
      // In another PID namespace, the number may be that of any process.
      const bool is_own = life == sim::processes::Life::runs && client.pid == static_cast<std::uint32_t>(getpid());
      if (!is_own) held += client.memory_bytes;
    });
    if (mig_) return held;
    return sim::processes::memory_of(gpu, held).used;
  });
  const auto left = std::min(total > others ? total - others : 0, mps::memory_limit(*this));
  const auto budget = read([&](const sim::model::Gpu&) { return sim::processes::own_budget(machine_, index, true); });
  return budget ? std::min(left, budget->left()) : left;
}

// A client of MPS is shown its limit as the whole GPU; on a MIG device it is shown all.
std::uint64_t Device::shown_memory() const {
  const auto total = total_memory();
  return mig_ ? total : std::min(total, mps::memory_limit(*this));
}

std::uint64_t Device::free_memory() {
  const auto room_now = room();
  const std::lock_guard lock(memory_mutex_);
  return room_now > used_ ? room_now - used_ : 0;
}

// Twice the memory in addresses: what is free in pieces is free as a whole. A process may have fewer, by `ulimit -v` or
// under valgrind. It then keeps three quarters of those for other things, among them what lies behind the addresses.
bool Device::has_addresses() {
  if (range_) return true;
  const auto whole = DeviceAddresses::in_blocks(2 * total_memory());
  if (range_.reserve(whole)) return true;
  for (auto size = whole / 8; size >= DeviceAddresses::kBlock; size /= 2)
    if (AddressRange::are_free(4 * size)) return range_.reserve(DeviceAddresses::in_blocks(size));
  return false;
}

CUdeviceptr Device::take_memory(std::uint64_t size) {
  const auto room_now = room();
  const auto address = [&]() -> CUdeviceptr {
    const std::lock_guard lock(memory_mutex_);
    if (used_ > room_now) return 0;
    if (!has_addresses()) return 0;
    const auto taken = range_.take(size, room_now - used_);
    if (taken.address) used_ += taken.counted;
    return taken.address;
  }();
  if (address) report();
  return address;
}

void Device::give_memory_back(CUdeviceptr address, std::uint64_t size) {
  {
    const std::lock_guard lock(memory_mutex_);
    used_ -= range_.give_back(address, size);
  }
  report();
}

bool Device::take(std::uint64_t size) {
  const auto room_now = room();
  {
    const std::lock_guard lock(memory_mutex_);
    if (used_ > room_now || size > room_now - used_) return false;
    used_ += size;
  }
  report();
  return true;
}

void Device::give_back(std::uint64_t size) {
  {
    const std::lock_guard lock(memory_mutex_);
    used_ -= size;
  }
  report();
}

void Device::report() {
  const std::lock_guard in_order(report_mutex_);
  std::uint64_t used_now = 0;
  {
    const std::lock_guard lock(memory_mutex_);
    used_now = used_;
  }
  report_memory(*this, used_now);
}

CUdeviceptr Device::reserve_addresses(std::uint64_t size) {
  const std::lock_guard lock(memory_mutex_);
  if (!has_addresses()) return 0;
  return range_.take_blocks(size);
}

void Device::give_addresses_back(CUdeviceptr address, std::uint64_t size) {
  const std::lock_guard lock(memory_mutex_);
  range_.give_blocks_back(address, size);
}

CUresult Device::add_context() {
  const std::lock_guard lock(contexts_mutex_);
  if (contexts_ == 0) {
    if (const auto result = begin_use(*this); result != CUDA_SUCCESS) return result;
    context_bytes_ = memory_of_context(*this);
  }
  if (!take(context_bytes_)) {
    if (contexts_ == 0) end_use(*this);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  ++contexts_;
  return CUDA_SUCCESS;
}

void Device::remove_context() {
  const std::lock_guard lock(contexts_mutex_);
  give_back(context_bytes_);
  if (--contexts_ == 0) end_use(*this);
}

bool Device::owns(CUdeviceptr address) {
  const std::lock_guard lock(memory_mutex_);
  return range_.contains(address);
}

}  // namespace nvmlkit::cuda
