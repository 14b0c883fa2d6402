#include "driver/cuda/launches/device_questions.hpp"

#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/launches/occupancy.hpp"
#include "driver/cuda/process.hpp"
#include "driver/cuda/runtime_error_names.hpp"

namespace nvmlkit::cuda {
namespace {

const cudart::ErrorName* name_of(int error) {
  for (const auto& known : cudart::kErrorNames)
    if (known.number == error) return &known;
  return nullptr;
}

constexpr const char* kUnknown = "unrecognized error code";

}  // namespace

int DeviceQuestions::device() { return context_.device.ordinal(); }
int DeviceQuestions::device_count() { return static_cast<int>(devices().size()); }

bool DeviceQuestions::attribute(int which, int device, int& value) {
  return functions::DeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), device) == CUDA_SUCCESS;
}

bool DeviceQuestions::limit(int which, std::uint64_t& value) {
  std::size_t found = 0;
  if (functions::CtxGetLimit(context_, &found, static_cast<CUlimit>(which)) != CUDA_SUCCESS) return false;
  value = found;
  return true;
}

int DeviceQuestions::blocks_on_multiprocessor(const ptx::Function& kernel, int threads, std::uint64_t dynamic_shared) {
  return active_blocks(context_.device, kernel, threads, dynamic_shared);
}

const char* DeviceQuestions::error_name(int error) {
  const auto* const known = name_of(error);
  return known ? known->name : kUnknown;
}

const char* DeviceQuestions::error_text(int error) {
  const auto* const known = name_of(error);
  if (known && known->text) return known->text;
  const char* text = nullptr;
  return known && functions::GetErrorString(static_cast<CUresult>(error), &text) == CUDA_SUCCESS ? text : kUnknown;
}

}  // namespace nvmlkit::cuda
