// What stands for the types of nvJitLink's header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libraries/common/driver.hpp"
#include "libraries/nvjitlink/generated/types.hpp"

namespace nvmlkit::nvjitlink {

struct Input {
  cuda::CUjitInputType type;
  std::string bytes, name;
};

// Inputs are kept until they are linked.
struct Link {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b6a6974;
  std::uint64_t mark = kMark;
  std::vector<std::string> options;
  std::vector<Input> inputs, intermediates;  // intermediates: LTO-IR
  std::string ptx;                           // of the intermediates
  std::string image, errors;

  bool has_option(const char* name) const { return std::find(options.begin(), options.end(), name) != options.end(); }
};

inline bool is_object(const Link* link) {
  return link && reinterpret_cast<std::uintptr_t>(link) % alignof(Link) == 0 && link->mark == Link::kMark;
}

}  // namespace nvmlkit::nvjitlink
