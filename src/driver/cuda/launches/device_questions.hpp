// Calls of kernels about their device and about errors.
#pragma once

#include "driver/cuda/context/context.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {

class DeviceQuestions final : public ptx::DeviceQuestions {
 public:
  explicit DeviceQuestions(Context& context) : context_(context) {}

  int device() override;
  int device_count() override;
  bool attribute(int which, int device, int& value) override;
  bool limit(int which, std::uint64_t& value) override;
  int blocks_on_multiprocessor(const ptx::Function& kernel, int threads, std::uint64_t dynamic_shared) override;
  const char* error_name(int error) override;
  const char* error_text(int error) override;

 private:
  Context& context_;
};

}  // namespace nvmlkit::cuda
