// Kernels that are functions of the host, which libraries hand over (driver/host_kernels/interface.hpp).
#pragma once

#include "driver/cuda/context/context.hpp"
#include "driver/host_kernels/interface.hpp"

namespace nvmlkit::cuda {

// Owns the arguments of a kernel.
class HostKernel {
 public:
  explicit HostKernel(const host_kernels::Kernel& kernel) : kernel_(kernel) {}
  ~HostKernel() { kernel_.release(kernel_.arguments); }
  HostKernel(const HostKernel&) = delete;
  HostKernel& operator=(const HostKernel&) = delete;

  // Runs to the end. What goes wrong is an error of the context from now on.
  void run(Context& context) const;
  const char* name() const { return kernel_.name; }

 private:
  host_kernels::Kernel kernel_;
};

// What cuGetExportTable answers for its id.
const host_kernels::Table& host_kernel_table();

}  // namespace nvmlkit::cuda
