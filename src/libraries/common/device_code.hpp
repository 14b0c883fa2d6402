// Kernels of ours that call device code of a program: their text is compiled, and linked with the program's LTO-IR.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::libraries {

// A function of the program. `lto_ir`: as NVRTC makes it, or in a fat binary of nvcc.
struct DeviceFunction {
  std::string symbol, lto_ir;
};

struct KernelText {
  std::string name;                // of the kernel
  std::vector<std::string> texts;  // of them, the first that finds each of the program's functions
};

enum class Linking { done, no_compiler, not_linked };

// PTX for a compute capability. `release`: of our libnvrtc and libnvJitLink, ".so.13". Both have NVIDIA's behind them,
// which print a line where there are none. A line gives the reason why functions cannot be linked.
Linking link_kernel(const KernelText& kernel, const std::vector<DeviceFunction>& functions, int capability,
                    const char* release, std::string& ptx);

}  // namespace nvmlkit::libraries
