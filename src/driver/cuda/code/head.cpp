#include "driver/cuda/code/head.hpp"

#include <algorithm>

#include "driver/cuda/generated/functions.hpp"
#include "ptx/parse/head.hpp"
#include "ptx/parse/ptxas_log.hpp"

namespace nvmlkit::cuda::modules {
namespace {

// The version of PTX that a driver's CUDA has: 13.0 has 9.0, 12.8 has 8.7.
int known_version() {
  int cuda = 0;
  if (functions::DriverGetVersion(&cuda) != CUDA_SUCCESS) return 0;
  const int major = cuda / 1000, minor = cuda % 1000 / 10;
  const int skipped = major == 12 && minor >= 6 ? 1 : 0;  // 12.5 and 12.6 have 8.5
  return 10 * (major - 4) + minor - skipped;
}

}  // namespace

Refusal check_head(std::string_view text) {
  using ptx::HeadFault;
  const auto head = ptx::head_of(text, std::max(known_version(), ptx::kVersionOfCompilers));
  const auto what = "PTX: " + head.problem;
  const auto fatal = [&] { return ptx::fatal_line(ptx::kJitInput, head.line, head.problem); };
  const std::string end(ptx::kAborted);
  switch (head.fault) {
    case HeadFault::no_version:
      return {CUDA_ERROR_INVALID_IMAGE, "", "error   : Binary format for key='0', ident='' is not recognized"};
    case HeadFault::unknown_version:
      return {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, what, fatal()};
    case HeadFault::unknown_target:
      return {CUDA_ERROR_INVALID_PTX, what, fatal() + "\n" + end};
    case HeadFault::version_too_early:
      return {CUDA_ERROR_INVALID_PTX, what, ptx::error_line(ptx::kJitInput, head.line, head.problem) + end};
    case HeadFault::none:
      break;
  }
  return {};
}

}  // namespace nvmlkit::cuda::modules
