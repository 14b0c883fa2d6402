// What stands for the types of NCCL's header.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "driver/cuda/generated/prototypes.hpp"
#include "libraries/common/unsupported.hpp"
#include "libraries/nccl/generated/types.hpp"

namespace nvmlkit::nccl {

using cuda::CUstream;

// Of the header that the declarations come from.
constexpr int kVersion = 22809;
constexpr const char* kVersionText = "2.28.9+cuda13.0";

class Communicator;
struct Window;

struct UniqueId {
  char internal[128];
};

// A number that a program left out.
constexpr int kUnset = INT_MIN;
constexpr unsigned kConfigMagic = 0xcafebeef;

// Programs of older headers have fewer members: `size` says how many.
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int cluster_size;
  int min_ctas;
  int max_ctas;
  const char* net_name;
  int split_share;
  int traffic_class;
  const char* name;
  int collnet_enable;
  int cta_policy;
  int shrink_share;
  int nvls_ctas;
  int channels_per_net_peer;
  int nvlink_centric;
};

struct SimulationInfo {
  std::size_t size;
  unsigned magic;
  unsigned version;
  float seconds;
};

// Ranks that a kernel talks to.
struct Team {
  int ranks, rank, stride;
};

constexpr int kNoColor = -1;
constexpr int kShrinkAbort = 1;

}  // namespace nvmlkit::nccl
