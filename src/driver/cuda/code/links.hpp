// cuLink: several pieces of code become one module.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "driver/cuda/code/jit_options.hpp"
#include "driver/cuda/code/modules.hpp"

namespace nvmlkit::cuda {

struct Link {
  Link(int of_gpu, const JitLogs& of_program) : capability(of_gpu), logs(of_program) {}

  std::mutex mutex;
  const int capability;  // of the GPU that code is chosen for
  const JitLogs logs;    // of the program, which keeps them until it ends the link
  std::vector<std::string> texts;
  std::string image;                // when it is complete
  CUresult refusal = CUDA_SUCCESS;  // of an input that is no code: no other is taken
  std::string log;                  // all that went wrong
};

namespace links {

CUlinkState add(std::shared_ptr<Link> link);
std::shared_ptr<Link> find(CUlinkState handle);
bool end(CUlinkState handle);

// Takes the PTX of an input.
modules::Refusal take(Link& link, CUjitInputType type, std::span<const std::byte> bytes, std::string_view name);
// Makes the image of what was taken.
modules::Refusal complete(Link& link);

}  // namespace links
}  // namespace nvmlkit::cuda
