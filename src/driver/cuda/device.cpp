#include "driver/cuda/device.hpp"

namespace nvmlkit::cuda {

std::uint64_t Device::total_memory() const {
  return read([](const sim::model::Gpu& gpu) {
    const auto total = gpu.memory.total_bytes.value_or(0);
    const auto reserved = gpu.memory.reserved_bytes.value_or(0);
    return total > reserved ? total - reserved : std::uint64_t{0};
  });
}

// What is not used by others, of which the machine tells.
std::uint64_t Device::room() const {
  const auto total = total_memory();
  const auto others = read([](const sim::model::Gpu& gpu) { return gpu.memory.used_bytes.value_or(0); });
  return total > others ? total - others : 0;
}

std::uint64_t Device::free_memory() {
  const auto room_now = room();
  const std::lock_guard lock(memory_mutex_);
  return room_now > used_ ? room_now - used_ : 0;
}

CUdeviceptr Device::take_memory(std::uint64_t size) {
  const auto room_now = room();
  const std::lock_guard lock(memory_mutex_);
  const auto rounded = AddressRange::rounded(size);
  if (rounded < size || used_ > room_now || rounded > room_now - used_) return 0;
  // Twice the memory in addresses: what is free in pieces is free as a whole.
  if (!range_ && !range_.reserve(2 * total_memory())) return 0;
  const auto address = range_.take(rounded);
  if (address) used_ += rounded;
  return address;
}

void Device::give_memory_back(CUdeviceptr address, std::uint64_t size) {
  const std::lock_guard lock(memory_mutex_);
  const auto rounded = AddressRange::rounded(size);
  range_.give_back(address, rounded);
  used_ -= rounded;
}

bool Device::owns(CUdeviceptr address) {
  const std::lock_guard lock(memory_mutex_);
  return range_.contains(address);
}

}  // namespace nvmlkit::cuda
