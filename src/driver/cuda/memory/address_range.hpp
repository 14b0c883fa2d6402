// Addresses of device memory. The range is reserved in the process and has no memory: no host address equals a device
// address, and a program that follows a device address gets the signal of hardware.
#pragma once

#include <cstdint>
#include <map>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

class AddressRange {
 public:
  // What allocations are multiples of, in place and size.
  static constexpr std::uint64_t kGranule = 512;
  static constexpr std::uint64_t rounded(std::uint64_t size) { return (size + kGranule - 1) / kGranule * kGranule; }

  AddressRange() = default;
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  explicit operator bool() const { return size_ != 0; }
  bool reserve(std::uint64_t size);
  bool contains(CUdeviceptr address) const { return address - start_ < size_; }

  // The lowest place where `size` fits; 0 when there is none.
  CUdeviceptr take(std::uint64_t size);
  void give_back(CUdeviceptr address, std::uint64_t size);

 private:
  CUdeviceptr start_ = 0;
  std::uint64_t size_ = 0;
  std::map<CUdeviceptr, std::uint64_t> free_;  // start -> size, neighbours joined
};

}  // namespace nvmlkit::cuda
