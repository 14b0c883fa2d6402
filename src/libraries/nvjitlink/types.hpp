// What stands for the types of nvJitLink's header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libraries/common/driver.hpp"
#include "libraries/common/live.hpp"
#include "libraries/nvjitlink/generated/types.hpp"

namespace nvmlkit::nvjitlink {

struct Input {
  cuda::CUjitInputType type;
  std::string bytes, name;
};

// LTO-IR, alone or in what nvcc made.
struct Intermediate {
  nvJitLinkInputType type;
  std::string bytes, name;
};

// Inputs are kept until they are linked.
struct Link {
  std::vector<std::string> options;
  std::vector<Input> inputs;
  std::vector<Intermediate> intermediates;
  std::string ptx;  // of the intermediates
  std::string image, errors;

  bool has_option(const char* name) const { return std::find(options.begin(), options.end(), name) != options.end(); }
};

inline bool is_object(const Link* link) { return libraries::Live<Link>::has(link); }

}  // namespace nvmlkit::nvjitlink
