// The driver itself: start, version, errors, entry points.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "driver/cuda/call.hpp"
#include "driver/cuda/entry_points.hpp"
#include "driver/cuda/errors.hpp"
#include "driver/cuda/foreign_runtime.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/launches/host_kernel.hpp"

namespace nvmlkit::cuda::functions {
namespace {

const ErrorText* find_error(CUresult error) {
  for (const auto& known : errors())
    if (known.error == error) return &known;
  return nullptr;
}

// The newest entry point of a name that a program of this CUDA version means. Where there are some for a default stream
// per thread and the program asks for them, only those count.
CUdriverProcAddressQueryResult choose(const char* name, std::uint32_t version, bool per_thread, void (*&address)()) {
  bool found = false, has_per_thread = false;
  for (const auto& point : entry_points()) {
    if (std::strcmp(point.name, name) != 0) continue;
    found = true;
    if (point.per_thread && per_thread && !has_per_thread) {
      has_per_thread = true;
      address = nullptr;
    }
    if (point.per_thread == has_per_thread && point.version <= version) address = point.address;
  }
  if (!found) return CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return address ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
}

bool are_known(cuuint64_t flags) {
  return (flags & ~cuuint64_t{CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) == 0;
}

}  // namespace

CUresult Init(unsigned int Flags) { return Flags == 0 ? initialize() : CUDA_ERROR_INVALID_VALUE; }

CUresult DriverGetVersion(int* driverVersion) {
  const auto* machine = future_machine();
  if (!machine) return CUDA_ERROR_UNKNOWN;
  *driverVersion = machine_version(*machine);
  return CUDA_SUCCESS;
}

CUresult GetErrorName(CUresult error, const char** pStr) {
  const auto* known = find_error(error);
  *pStr = known ? known->name : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult GetErrorString(CUresult error, const char** pStr) {
  const auto* known = find_error(error);
  *pStr = known ? known->text : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Drivers of CUDA 13 refuse versions above their own; older ones, for which programs of a newer minor version ask, do
// not.
bool is_too_new(int version) {
  int own = 0;
  return DriverGetVersion(&own) == CUDA_SUCCESS && own >= 13000 && version > own;
}

// Measured on 550: what is not found is a success with a null pointer, a version is a number without sign, and a name
// is the one without version.
CUresult GetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                           CUdriverProcAddressQueryResult* symbolStatus) {
  if (!are_known(flags) || is_too_new(cudaVersion)) return CUDA_ERROR_INVALID_VALUE;
  void (*address)() = nullptr;
  const auto status = choose(symbol, static_cast<std::uint32_t>(cudaVersion),
                             flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, address);
  *pfn = reinterpret_cast<void*>(address);
  if (symbolStatus) *symbolStatus = status;
  return CUDA_SUCCESS;
}

CUresult GetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  if (!are_known(flags)) return CUDA_ERROR_INVALID_VALUE;
  void (*address)() = nullptr;
  if (choose(symbol, static_cast<std::uint32_t>(cudaVersion), flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
             address) != CU_GET_PROC_ADDRESS_SUCCESS)
    return CUDA_ERROR_NOT_FOUND;
  *pfn = reinterpret_cast<void*>(address);
  return CUDA_SUCCESS;
}

// Our own libraries ask for one. Else only NVIDIA's own libraries ask for tables: the runtime, what carries it, and
// compilers, which do without. What the driver of a table that is not there answers was measured on 550.
CUresult GetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  if (std::memcmp(pExportTableId, host_kernels::kTableId, sizeof host_kernels::kTableId) == 0) {
    *ppExportTable = &host_kernel_table();
    return CUDA_SUCCESS;
  }
  static constinit std::atomic<bool> said{false};
  const auto caller = calling_library();
  const std::string_view name = std::string_view(caller).substr(caller.rfind('/') + 1);
  if (!name.starts_with("libnvrtc") && !name.starts_with("libnvJitLink") && !said.exchange(true)) {
    const auto library = foreign_runtime();
    if (!library.empty())
      std::fprintf(stderr,
                   "nvmlkit: this program loaded NVIDIA's own CUDA runtime library, which works with NVIDIA's driver "
                   "alone, from %s: take that folder out of its RPATH and LD_LIBRARY_PATH\n",
                   library.c_str());
    else if (!caller.empty())
      std::fprintf(stderr,
                   "nvmlkit: %s carries NVIDIA's own CUDA runtime library, which works with NVIDIA's driver alone: it "
                   "cannot use simulated GPUs\n",
                   caller.c_str());
    else
      std::fprintf(stderr,
                   "nvmlkit: this program carries NVIDIA's own CUDA runtime library, which works with NVIDIA's driver "
                   "alone: build it with `nvcc -cudart shared` (clang: -lcudart)\n");
  }
  *ppExportTable = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult ProfilerStart(Context&) { return CUDA_SUCCESS; }
CUresult ProfilerStop(Context&) { return CUDA_SUCCESS; }

}  // namespace nvmlkit::cuda::functions
