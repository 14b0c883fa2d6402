// Addresses of device memory. The range is reserved in the process and has no memory: no host address equals a device
// address, and a program that follows a device address gets the signal of hardware.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

class AddressRange {
 public:
  // What allocations are multiples of, in place and size, where several share a block.
  static constexpr std::uint64_t kGranule = 512;
  static constexpr std::uint64_t rounded(std::uint64_t size) { return (size + kGranule - 1) / kGranule * kGranule; }

  // For a sanitizer: addresses behind each that is taken which belong to nobody, and what was given back comes again
  // only when the rest is spent. Set before the first range is reserved.
  static inline constinit std::uint64_t red_zone = 0;

  AddressRange() = default;
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  explicit operator bool() const { return size_ != 0; }
  // Whether the process could reserve so many bytes.
  static bool are_free(std::uint64_t size);
  // At a multiple of `alignment`.
  bool reserve(std::uint64_t size, std::uint64_t alignment);
  // Hands out a part of another range, which reserved it.
  void lend(CUdeviceptr address, std::uint64_t size) { free_.emplace(address, size); }
  bool contains(CUdeviceptr address) const { return address - start_ < size_; }

  // The lowest place where `size` fits; 0 when there is none.
  CUdeviceptr take(std::uint64_t size);
  void give_back(CUdeviceptr address, std::uint64_t size);
  // The same for pieces that contain their red zone.
  CUdeviceptr take_whole(std::uint64_t size);
  void give_back_whole(CUdeviceptr address, std::uint64_t size);
  bool is_spent() const { return free_.empty() && given_back_.empty(); }

 private:
  CUdeviceptr start_ = 0;
  std::uint64_t size_ = 0;
  CUdeviceptr take_free(std::uint64_t size);
  void join(CUdeviceptr address, std::uint64_t size);

  std::map<CUdeviceptr, std::uint64_t> free_;                      // start -> size, neighbours joined
  std::vector<std::pair<CUdeviceptr, std::uint64_t>> given_back_;  // with a red zone
};

}  // namespace nvmlkit::cuda
