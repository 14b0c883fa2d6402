// Work on several GPUs: in stages, between which they exchange their numbers. A kernel reaches memory of its own GPU
// only; what is exchanged waits in memory of the host.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "libraries/cufft/gpus.hpp"
#include "libraries/cufft/spread.hpp"

namespace nvmlkit::cufft {

struct Stage {
  // By GPU: where its numbers are in the whole, before and after. `from` of the first stage and `to` of the last one do
  // not count: those are in memory of the device.
  std::vector<Part> from, to;
  // By GPU, of its numbers, in place. Empty: they are only moved.
  std::vector<std::function<void(void*)>> work;
};

struct Stages {
  std::vector<Stage> all;
  std::vector<std::int64_t> counts;  // by GPU: of the numbers in its memory, before and after
  std::vector<std::int64_t> counts_after;
  std::int64_t whole = 0;
  std::size_t number = 0;  // bytes of one
  double operations = 0;
  const char* name = "";
};

// From memory of each GPU to memory of each GPU, which may be the same. `of_program`: see Gpus::begin().
cuda::CUresult run_stages(const Gpus& gpus, CUstream of_program, const std::shared_ptr<const Stages>& stages,
                          const std::vector<void*>& in, const std::vector<void*>& out);

// Numbers of one format as those of another one.
Stages reordered(const Spread& spread, cufftXtSubFormat from, cufftXtSubFormat to);

}  // namespace nvmlkit::cufft
