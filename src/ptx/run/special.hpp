// Special registers: %tid.x and its kin.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/types.hpp"

namespace nvmlkit::ptx {

// Their values for the lanes of a warp. Those of time are written when they are read.
struct SpecialValues {
  std::uint32_t tid[3][kLanes];
  std::uint32_t ntid[3][kLanes];
  std::uint32_t ctaid[3][kLanes];
  std::uint32_t nctaid[3][kLanes];
  std::uint32_t laneid[kLanes];
  std::uint32_t lanemask[5][kLanes];  // eq, le, lt, ge, gt
  std::uint32_t warpid[kLanes], nwarpid[kLanes];
  std::uint32_t smid[kLanes], nsmid[kLanes];
  std::uint32_t shared_bytes[3][kLanes];  // total, aggregate, dynamic
  std::uint32_t reserved[4][kLanes];      // begin and end of what programs do not ask for, and two places in it
  std::uint32_t warp_size[kLanes];
  std::uint32_t clusterid[3][kLanes], nclusterid[3][kLanes];
  std::uint32_t cluster_ctaid[3][kLanes], cluster_nctaid[3][kLanes];
  std::uint32_t cluster_ctarank[kLanes], cluster_nctarank[kLanes];
  Mask is_explicit_cluster[kLanes];  // a predicate
  std::uint64_t gridid[kLanes];
  // 1 and 2: address of the workspace of a cooperative launch, high and low half; 3 and 4: of its GridOfMany.
  std::uint32_t envreg[5][kLanes];
};

// What changes from block to block, and few kernels read.
inline constexpr std::uint8_t kPlaceInClusters = 1, kMultiprocessor = 2;

struct SpecialRegister {
  std::string_view name;
  std::uint32_t offset;
  std::uint8_t size;
  std::uint8_t of_block = 0;  // one of these
};

// Null for what is none. Registers of time are not among them.
const SpecialRegister* find_special(std::string_view name);

}  // namespace nvmlkit::ptx
