#include "libraries/cufft/callback_code.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>

#include "libraries/common/find_call.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::cufft {
namespace {

using libraries::find_call;

// Our libnvrtc and libnvJitLink, which lie beside this library. Both have NVIDIA's behind them, which print a line
// where there are none.
struct Compiler {
  int (*create)(void** program, const char* source, const char* name, int, const char* const*, const char* const*);
  int (*compile)(void* program, int count, const char* const* options);
  int (*log_size)(void* program, std::size_t*);
  int (*log)(void* program, char*);
  int (*code_size)(void* program, std::size_t*);
  int (*code)(void* program, char*);
  int (*destroy)(void** program);
};
struct Linker {
  int (*create)(void** link, std::uint32_t count, const char* const* options);
  int (*add)(void* link, int type, const void* data, std::size_t size, const char* name);
  int (*complete)(void* link);
  int (*log_size)(void* link, std::size_t*);
  int (*log)(void* link, char*);
  int (*ptx_size)(void* link, std::size_t*);
  int (*ptx)(void* link, char*);
  int (*destroy)(void** link);
};
// nvJitLinkInputType.
constexpr int kLtoIr = 3, kFatBinary = 4;

void* open_beside(const char* name) {
  const auto path = libraries::own_path();
  const auto release = libraries::is_loaded_as("libcufft.so.11") ? ".so.12" : ".so.13";
  const auto file = path.substr(0, path.rfind('/') + 1) + name + release;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) std::fprintf(stderr, "nvmlkit: cuFFT needs %s for its callbacks, and cannot load it\n", file.c_str());
  return library;
}

const Compiler* compiler() {
  static Compiler made{};
  static void* const library = open_beside("libnvrtc");
  static const bool is_whole =
      library && find_call(library, "nvrtcCreateProgram", made.create) &&
      find_call(library, "nvrtcCompileProgram", made.compile) &&
      find_call(library, "nvrtcGetProgramLogSize", made.log_size) &&
      find_call(library, "nvrtcGetProgramLog", made.log) && find_call(library, "nvrtcGetLTOIRSize", made.code_size) &&
      find_call(library, "nvrtcGetLTOIR", made.code) && find_call(library, "nvrtcDestroyProgram", made.destroy);
  return is_whole ? &made : nullptr;
}

const Linker* linker() {
  static Linker made{};
  static void* const library = open_beside("libnvJitLink");
  static const bool is_whole =
      library && find_call(library, "nvJitLinkCreate", made.create) &&
      find_call(library, "nvJitLinkAddData", made.add) && find_call(library, "nvJitLinkComplete", made.complete) &&
      find_call(library, "nvJitLinkGetErrorLogSize", made.log_size) &&
      find_call(library, "nvJitLinkGetErrorLog", made.log) &&
      find_call(library, "nvJitLinkGetLinkedPtxSize", made.ptx_size) &&
      find_call(library, "nvJitLinkGetLinkedPtx", made.ptx) && find_call(library, "nvJitLinkDestroy", made.destroy);
  return is_whole ? &made : nullptr;
}

// Bytes that are asked for in two calls.
std::string bytes_of(void* object, int (*size_of)(void*, std::size_t*), int (*get)(void*, char*)) {
  std::size_t size = 0;
  if (size_of(object, &size) != 0 || size == 0) return {};
  std::string out(size, '\0');
  return get(object, out.data()) == 0 ? out : std::string();
}

void tell(const std::string& symbol, const std::string& log) {
  std::fprintf(stderr, "nvmlkit: the callback %s cannot be linked: %s\n", symbol.c_str(),
               log.empty() ? "there is no reason" : log.c_str());
}

const char* element_text(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return "float";
    case CUDA_R_64F:
      return "double";
    case CUDA_C_32F:
      return "float2";
    default:
      return "double2";
  }
}

// `linkage`: of the callback's declaration.
std::string source_of(cufftXtCallbackType type, const std::string& symbol, const std::string& linkage) {
  const bool loads = is_load(type);
  const std::string element = std::string("using Element = ") + element_text(element_of(type)) + ";\n";
  const std::string declared = loads ? "Element " + symbol + "(void*, unsigned long long, void*, void*);\n"
                                     : "void " + symbol + "(void*, unsigned long long, Element, void*, void*);\n";
  const std::string called = loads ? "elements[offset] = " + symbol + "(memory, offset, info, shared);\n"
                                   : symbol + "(memory, offset, elements[offset], info, shared);\n";
  return element + linkage + " __device__ " + declared + R"(
struct Box { unsigned long long count, sizes[4], strides[4]; };
extern "C" __global__ void nvmlkit_cufft_callback(Element* elements, void* memory, void* info, Box box) {
  extern __shared__ __align__(16) unsigned char shared[];
  unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, offset = 0;
  if (at >= box.count) return;
  for (int d = 3; d >= 0; --d) {
    offset += at % box.sizes[d] * box.strides[d];
    at /= box.sizes[d];
  }
  )" + called +
         "}\n";
}

cufftResult compile(const std::string& symbol, const std::string& source, int capability, std::string& code) {
  const Compiler* const nvrtc = compiler();
  void* program = nullptr;
  if (!nvrtc || nvrtc->create(&program, source.c_str(), "callback.cu", 0, nullptr, nullptr) != 0)
    return CUFFT_NVRTC_FAILURE;
  const std::string architecture = "-arch=compute_" + std::to_string(capability);
  const char* const options[] = {"-dlto", "-rdc=true", "-std=c++17", architecture.c_str()};
  if (nvrtc->compile(program, 4, options) == 0)
    code = bytes_of(program, nvrtc->code_size, nvrtc->code);
  else
    tell(symbol, bytes_of(program, nvrtc->log_size, nvrtc->log).c_str());
  nvrtc->destroy(&program);
  return code.empty() ? CUFFT_NVRTC_FAILURE : CUFFT_SUCCESS;
}

bool is_fat_binary(const std::string& bytes) { return bytes.rfind("\x50\xed\x55\xba", 0) == 0; }

cufftResult link(const std::string& symbol, const std::string& kernel, const std::string& callback, int capability,
                 std::string& ptx) {
  const Linker* const jit = linker();
  const std::string architecture = "-arch=sm_" + std::to_string(capability);
  const char* const options[] = {"-lto", "-ptx", architecture.c_str()};
  void* handle = nullptr;
  if (!jit || jit->create(&handle, 3, options) != 0) return CUFFT_NVJITLINK_FAILURE;
  const bool is_linked = jit->add(handle, is_fat_binary(callback) ? kFatBinary : kLtoIr, callback.data(),
                                  callback.size(), symbol.c_str()) == 0 &&
                         jit->add(handle, kLtoIr, kernel.data(), kernel.size(), kCallbackKernel) == 0 &&
                         jit->complete(handle) == 0;
  if (is_linked)
    ptx = bytes_of(handle, jit->ptx_size, jit->ptx);
  else
    tell(symbol, bytes_of(handle, jit->log_size, jit->log).c_str());
  jit->destroy(&handle);
  return ptx.empty() ? CUFFT_NVJITLINK_FAILURE : CUFFT_SUCCESS;
}

// Whether code calls a function that no image has.
bool lacks(const std::string& ptx, const std::string& symbol) {
  for (auto at = ptx.find(".extern .func"); at != ptx.npos; at = ptx.find(".extern .func", at + 1))
    if (ptx.substr(at, ptx.find(';', at) - at).find(symbol) != ptx.npos) return true;
  return false;
}

}  // namespace

bool is_load(cufftXtCallbackType type) { return type < CUFFT_CB_ST_COMPLEX; }

cudaDataType element_of(cufftXtCallbackType type) {
  switch (type) {
    case CUFFT_CB_LD_COMPLEX:
    case CUFFT_CB_ST_COMPLEX:
      return CUDA_C_32F;
    case CUFFT_CB_LD_REAL:
    case CUFFT_CB_ST_REAL:
      return CUDA_R_32F;
    case CUFFT_CB_LD_REAL_DOUBLE:
    case CUFFT_CB_ST_REAL_DOUBLE:
      return CUDA_R_64F;
    default:
      return CUDA_C_64F;
  }
}

cufftResult make_callback_kernel(cufftXtCallbackType type, const std::string& symbol, const std::string& lto_ir,
                                 int capability, std::string& ptx) {
  for (const char* const linkage : {"extern \"C++\"", "extern \"C\""}) {
    std::string kernel;
    auto result = compile(symbol, source_of(type, symbol, linkage), capability, kernel);
    if (result == CUFFT_SUCCESS) result = link(symbol, kernel, lto_ir, capability, ptx);
    if (result != CUFFT_SUCCESS || !lacks(ptx, symbol)) return result;
  }
  tell(symbol, "its LTO-IR has no such function");
  return CUFFT_NVJITLINK_FAILURE;
}

}  // namespace nvmlkit::cufft
