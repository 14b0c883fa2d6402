// multi_grid of CUDA 11 and 12: functions of device code about a launch on several GPUs. They are PTX, which is linked
// to the modules that use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlkit::ptx {

// In memory that all GPUs reach, one for each grid; %envreg3 and 4 have its address, high and low half.
struct GridOfMany {
  std::uint64_t barrier = 0;  // address of the one they share: blocks that have come, and how often all have
  std::uint32_t rank = 0, grids = 0;
  std::uint32_t first_thread = 0, threads = 0, blocks = 0;  // threads of grids before it; all threads and blocks
  std::uint32_t unused = 0;
};

// One text of modules (parse/link.hpp), with the functions if one of them uses such.
std::string joined_with_grid_groups(std::vector<std::string> modules);

}  // namespace nvmlkit::ptx
