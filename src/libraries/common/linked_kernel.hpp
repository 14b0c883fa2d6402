// Kernels with device code of a program, loaded and kept: programs make many plans with the same functions.
#pragma once

#include <memory>

#include "libraries/common/device_code.hpp"
#include "libraries/common/driver.hpp"

namespace nvmlkit::libraries {

// A kernel that is loaded, for every context.
class LinkedKernel {
 public:
  // Null: the driver does not take it.
  static std::shared_ptr<const LinkedKernel> load(const Driver& driver, const std::string& ptx, const char* name);
  ~LinkedKernel();
  LinkedKernel(const LinkedKernel&) = delete;
  LinkedKernel& operator=(const LinkedKernel&) = delete;

  // A thread for each of `count` elements. `parameters`: pointers to them.
  CUresult launch(CUstream stream, unsigned long long count, unsigned shared_bytes, void** parameters) const;

 private:
  LinkedKernel(const Driver& driver, cuda::CUlibrary library) : driver_(driver), library_(library) {}

  const Driver& driver_;
  cuda::CUlibrary library_;
  cuda::CUkernel kernel_ = nullptr;
};

// Of the current GPU. It is linked at the first call with these texts, functions and capability; the process keeps the
// last ones.
Linking linked_kernel(const Driver& driver, const KernelText& kernel, const std::vector<DeviceFunction>& functions,
                      const char* release, std::shared_ptr<const LinkedKernel>& out);

}  // namespace nvmlkit::libraries
