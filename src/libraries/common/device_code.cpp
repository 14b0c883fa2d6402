#include "libraries/common/device_code.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "libraries/common/find_call.hpp"
#include "libraries/common/soname.hpp"

namespace nvmlkit::libraries {
namespace {

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

// Libraries of ours lie beside each other.
void* open_beside(const std::string& name) {
  const auto path = own_path();
  const auto file = path.substr(0, path.rfind('/') + 1) + name;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    std::fprintf(stderr, "nvmlkit: device code of the program needs %s, which cannot be loaded\n", file.c_str());
  return library;
}

const Compiler* compiler(const char* release) {
  static Compiler made{};
  static void* const library = open_beside(std::string("libnvrtc") + release);
  static const bool is_whole =
      library && find_call(library, "nvrtcCreateProgram", made.create) &&
      find_call(library, "nvrtcCompileProgram", made.compile) &&
      find_call(library, "nvrtcGetProgramLogSize", made.log_size) &&
      find_call(library, "nvrtcGetProgramLog", made.log) && find_call(library, "nvrtcGetLTOIRSize", made.code_size) &&
      find_call(library, "nvrtcGetLTOIR", made.code) && find_call(library, "nvrtcDestroyProgram", made.destroy);
  return is_whole ? &made : nullptr;
}

const Linker* linker(const char* release) {
  static Linker made{};
  static void* const library = open_beside(std::string("libnvJitLink") + release);
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

void tell(const std::string& symbols, const std::string& log) {
  std::fprintf(stderr, "nvmlkit: the device code of %s cannot be linked: %s\n", symbols.c_str(),
               log.empty() ? "there is no reason" : log.c_str());
}

std::string symbols_of(const std::vector<DeviceFunction>& functions) {
  std::string out;
  for (const auto& each : functions) out += (out.empty() ? "" : ", ") + each.symbol;
  return out;
}

Linking compile(const KernelText& kernel, const std::string& text, int capability, const char* release,
                std::string& code) {
  const Compiler* const nvrtc = compiler(release);
  void* program = nullptr;
  const std::string file = kernel.name + ".cu";
  if (!nvrtc || nvrtc->create(&program, text.c_str(), file.c_str(), 0, nullptr, nullptr) != 0)
    return Linking::no_compiler;
  const std::string architecture = "-arch=compute_" + std::to_string(capability);
  const char* const options[] = {"-dlto", "-rdc=true", "-std=c++17", architecture.c_str()};
  if (nvrtc->compile(program, 4, options) == 0)
    code = bytes_of(program, nvrtc->code_size, nvrtc->code);
  else
    tell(kernel.name, bytes_of(program, nvrtc->log_size, nvrtc->log).c_str());
  nvrtc->destroy(&program);
  return code.empty() ? Linking::no_compiler : Linking::done;
}

bool is_fat_binary(const std::string& bytes) { return bytes.rfind("\x50\xed\x55\xba", 0) == 0; }

Linking link(const KernelText& kernel, const std::string& code, const std::vector<DeviceFunction>& functions,
             int capability, const char* release, std::string& ptx) {
  const Linker* const jit = linker(release);
  const std::string architecture = "-arch=sm_" + std::to_string(capability);
  const char* const options[] = {"-lto", "-ptx", architecture.c_str()};
  void* handle = nullptr;
  if (!jit || jit->create(&handle, 3, options) != 0) return Linking::not_linked;
  const auto add = [&](const std::string& data, const std::string& name) {
    return jit->add(handle, is_fat_binary(data) ? kFatBinary : kLtoIr, data.data(), data.size(), name.c_str()) == 0;
  };
  const bool is_linked = std::all_of(functions.begin(), functions.end(),
                                     [&](const auto& each) { return add(each.lto_ir, each.symbol); }) &&
                         add(code, kernel.name) && jit->complete(handle) == 0;
  ptx = is_linked ? bytes_of(handle, jit->ptx_size, jit->ptx) : "";
  if (!is_linked) tell(symbols_of(functions), bytes_of(handle, jit->log_size, jit->log).c_str());
  jit->destroy(&handle);
  return ptx.empty() ? Linking::not_linked : Linking::done;
}

// Whether code calls a function that no image has.
bool lacks(const std::string& ptx, const std::string& symbol) {
  for (auto at = ptx.find(".extern .func"); at != ptx.npos; at = ptx.find(".extern .func", at + 1))
    if (ptx.substr(at, ptx.find(';', at) - at).find(symbol) != ptx.npos) return true;
  return false;
}

}  // namespace

Linking link_kernel(const KernelText& kernel, const std::vector<DeviceFunction>& functions, int capability,
                    const char* release, std::string& ptx) {
  std::string missing;
  for (const std::string& text : kernel.texts) {
    std::string code;
    auto result = compile(kernel, text, capability, release, code);
    if (result == Linking::done) result = link(kernel, code, functions, capability, release, ptx);
    if (result != Linking::done) return result;
    const auto lacking =
        std::find_if(functions.begin(), functions.end(), [&](const auto& each) { return lacks(ptx, each.symbol); });
    if (lacking == functions.end()) return result;
    missing = lacking->symbol;
  }
  tell(missing, "its LTO-IR has no such function");
  return Linking::not_linked;
}

}  // namespace nvmlkit::libraries
