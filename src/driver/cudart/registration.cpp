// Registrations by the host code of nvcc at the start of a program: fat binaries, kernels and variables. They are
// loaded at the first use of one of them.
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/never_destroyed.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

// Aligned as any variable may ask.
struct alignas(256) Line {
  std::byte bytes[256];
};

struct FatBinary {
  const void* image = nullptr;
  CUlibrary library = nullptr;
  CUresult result = CUDA_SUCCESS;
  bool is_loaded = false;
  struct Managed {
    void** pointer = nullptr;
    std::string name;
    std::size_t size = 0;
    std::vector<Line> stand_in;  // of the host, where the variable cannot be had
  };
  std::vector<Managed> managed;
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
  CUkernel kernel = nullptr;
};

// A texture or surface reference.
struct TextureSymbol {
  FatBinary* binary = nullptr;
  std::string name;
  bool as_float = false;  // integers are read as parts of 1
};

struct Registered {
  std::mutex mutex;
  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::map<const void*, Symbol> kernels, variables;
  std::map<const void*, TextureSymbol> textures;
};
Registered& registered() {
  static NeverDestroyed<Registered> the;
  return *the;
}

FatBinary* of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

// With the lock held.
CUresult load(FatBinary& binary) {
  if (!binary.is_loaded) {
    binary.is_loaded = true;
    binary.result = cuLibraryLoadData(&binary.library, binary.image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  return binary.result;
}

// A number that is a handle of our driver, not an address: the program got it from cudaGetKernel.
bool is_handle(const void* symbol) { return reinterpret_cast<std::uintptr_t>(symbol) >> 56 != 0; }

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  CUstream stream;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

CUresult kernel_of(const void* symbol, CUkernel* out) {
  if (is_handle(symbol)) {
    *out = reinterpret_cast<CUkernel>(const_cast<void*>(symbol));
    return CUDA_SUCCESS;
  }
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  const auto at = all.kernels.find(symbol);
  if (at == all.kernels.end()) return static_cast<CUresult>(kInvalidDeviceFunction);
  auto& known = at->second;
  if (!known.kernel) {
    if (const auto result = load(*known.binary); result != CUDA_SUCCESS) return result;
    if (cuLibraryGetKernel(&known.kernel, known.binary->library, known.name.c_str()) != CUDA_SUCCESS)
      return static_cast<CUresult>(kInvalidDeviceFunction);
  }
  *out = known.kernel;
  return CUDA_SUCCESS;
}

CUresult function_of(const void* symbol, CUfunction* out) {
  CUkernel kernel = nullptr;
  const auto result = kernel_of(symbol, &kernel);
  *out = reinterpret_cast<CUfunction>(kernel);  // the driver takes either
  return result;
}

CUresult variable_of(const void* symbol, CUdeviceptr* address, std::size_t* size) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  const auto at = all.variables.find(symbol);
  if (at == all.variables.end()) return static_cast<CUresult>(kInvalidSymbol);
  if (const auto result = load(*at->second.binary); result != CUDA_SUCCESS) return result;
  return cuLibraryGetGlobal(address, size, at->second.binary->library, at->second.name.c_str());
}

namespace {

// found(module, symbol) for a texture or surface reference.
template <class Found>
CUresult with_texture(const void* host, Found found) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  const auto at = all.textures.find(host);
  if (at == all.textures.end()) return static_cast<CUresult>(kInvalidTexture);
  if (const auto result = load(*at->second.binary); result != CUDA_SUCCESS) return result;
  CUmodule module = nullptr;
  const auto result = cuLibraryGetModule(&module, at->second.binary->library);
  return result == CUDA_SUCCESS ? found(module, at->second) : result;
}

}  // namespace

CUresult texture_of(const void* host, CUtexref* texture, bool* as_float) {
  return with_texture(host, [&](CUmodule module, const TextureSymbol& symbol) {
    *as_float = symbol.as_float;
    return cuModuleGetTexRef(texture, module, symbol.name.c_str());
  });
}

CUresult surface_of(const void* host, CUsurfref* surface) {
  return with_texture(host, [&](CUmodule module, const TextureSymbol& symbol) {
    return cuModuleGetSurfRef(surface, module, symbol.name.c_str());
  });
}

bool is_texture(const void* host) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  return all.textures.count(host) > 0;
}

NVMLKIT_RUNTIME void** __cudaRegisterFatBinary(void* image) {
  auto made = std::make_unique<FatBinary>();
  made->image = image;
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  all.binaries.push_back(std::move(made));
  return reinterpret_cast<void**>(all.binaries.back().get());
}

NVMLKIT_RUNTIME void __cudaRegisterFatBinaryEnd(void**) {}

// The end of a program, or of a library that is unloaded.
NVMLKIT_RUNTIME void __cudaUnregisterFatBinary(void** handle) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  const auto is_of = [&](const auto& entry) { return entry.second.binary == of(handle); };
  std::erase_if(all.kernels, is_of);
  std::erase_if(all.variables, is_of);
  std::erase_if(all.textures, is_of);
  std::erase_if(all.binaries, [&](const auto& binary) {
    if (binary.get() != of(handle)) return false;
    if (binary->library) cuLibraryUnload(binary->library);
    return true;
  });
}

NVMLKIT_RUNTIME void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                                            void*, void*, int*) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  all.kernels[host] = {of(handle), name, nullptr};
}

NVMLKIT_RUNTIME void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int, int) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  all.variables[host] = {of(handle), name, nullptr};
}

NVMLKIT_RUNTIME void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                              std::size_t size, int, int) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  of(handle)->managed.push_back({pointer, name, size, {}});
  all.variables[pointer] = {of(handle), name, nullptr};
}

// `name` is what the device code calls it; what follows is the name in C++.
NVMLKIT_RUNTIME void __cudaRegisterTexture(void** handle, const void* host, const char* name, const char*, int,
                                           int as_float, int) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  all.textures[host] = {of(handle), name, as_float != 0};
}
NVMLKIT_RUNTIME void __cudaRegisterSurface(void** handle, const void* host, const char* name, const char*, int, int) {
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  all.textures[host] = {of(handle), name, false};
}

namespace {

// With the lock held.
bool place_managed_variables(FatBinary& binary) {
  if (load(binary) != CUDA_SUCCESS) return false;
  for (const auto& managed : binary.managed) {
    CUdeviceptr address = 0;
    if (cuLibraryGetGlobal(&address, nullptr, binary.library, managed.name.c_str()) != CUDA_SUCCESS) return false;
    *managed.pointer = reinterpret_cast<void*>(address);
    // Functions that take a symbol are handed what the pointer points to.
    registered().variables[*managed.pointer] = {&binary, managed.name, nullptr};
  }
  return true;
}

// Code cannot be loaded; launches and copies report it. What the host writes to its variables has to go somewhere.
void place_stand_ins(FatBinary& binary) {
  for (auto& managed : binary.managed) {
    if (*managed.pointer) continue;
    managed.stand_in.resize(managed.size / sizeof(Line) + 1);
    *managed.pointer = managed.stand_in.data();
    registered().variables[*managed.pointer] = {&binary, managed.name, nullptr};
  }
}

}  // namespace

// Before managed variables are used on the host: their pointers get their addresses.
NVMLKIT_RUNTIME char __cudaInitModule(void** handle) {
  if (!handle || of(handle)->managed.empty()) return 1;
  const bool is_ready = ready() == CUDA_SUCCESS;
  auto& all = registered();
  const std::lock_guard lock(all.mutex);
  if (is_ready && place_managed_variables(*of(handle))) return 1;
  place_stand_ins(*of(handle));
  return 0;
}

// <<<grid, block, shared, stream>>>, between the brackets and the function that launches.
NVMLKIT_RUNTIME unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, CUstream stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

NVMLKIT_RUNTIME Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return keep(kMissingConfiguration);
  const auto c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<CUstream*>(stream) = c.stream;
  return 0;
}

NVMLKIT_RUNTIME Error __cudaGetKernel(CUkernel* kernel, const void* symbol) {
  // Said again, with the error, by the launch.
  if (ready() != CUDA_SUCCESS || kernel_of(symbol, kernel) != CUDA_SUCCESS)
    *kernel = reinterpret_cast<CUkernel>(const_cast<void*>(symbol));
  return 0;
}

}  // namespace nvmlkit::cudart
