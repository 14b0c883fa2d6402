// What a rank is to do: a collective, or a part of one.
#pragma once

#include <cstdint>

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl {

enum class Kind : std::uint32_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  receive,
  split,  // of the library itself
};
const char* name_of(Kind kind);
inline bool is_between_two(Kind kind) { return kind == Kind::send || kind == Kind::receive; }

// An operator on elements. ncclNumOps stands for a sum of multiples.
struct Operator {
  ncclRedOp_t kind = ncclSum;
  std::uint64_t scalar = 0;            // its bytes, in the type of the elements
  const void* scalar_place = nullptr;  // or where they are on the device
};

struct Operation {
  Kind kind;
  const void* from = nullptr;
  void* to = nullptr;
  std::uint64_t count = 0;  // as in the call
  ncclDataType_t type = ncclInt8;
  Operator by{};
  int root = 0;  // or the peer
};

inline std::size_t size_of(ncclDataType_t type) {
  constexpr std::size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type < ncclNumTypes ? kSizes[type] : 0;
}

}  // namespace nvmlkit::nccl
