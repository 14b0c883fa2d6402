// Loaded code: modules of a context, libraries for all contexts, and their kernels.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/fatbin/elf.hpp"
#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::cuda {

struct Module {
  CUcontext context = nullptr;
  Device* device = nullptr;
  std::shared_ptr<ptx::Module> code;
  std::shared_ptr<Allocation> image;  // of its variables; null when it has none
  std::atomic<CUmodule> handle{nullptr};
  std::map<std::string, CUfunction, std::less<>> functions;
};

// Settings of a kernel before its launch.
struct KernelSettings {
  std::atomic<int> most_dynamic_shared{-1};  // -1: what 48 KiB leave beside the shared variables
  std::atomic<int> carveout{-1};
  std::atomic<bool> may_be_non_portable{false};  // clusters of more than 8 blocks
  std::atomic<int> cluster_policy{0};
};

struct KernelFunction {
  std::shared_ptr<Module> module;
  const ptx::Function* code = nullptr;
  std::shared_ptr<KernelSettings> settings;
  mutable std::atomic<unsigned> pipe{host_kernels::pipe_count};  // a Pipe; pipe_count: not known yet
};

// What a launch may ask for.
int most_dynamic_shared(const KernelSettings& settings, const ptx::Function& code);

struct Library {
  std::shared_ptr<const std::string> text;  // PTX
  std::shared_ptr<ptx::Module> code;        // to look at
  std::mutex mutex;
  std::shared_ptr<ptx::Module> unused;  // the same, until the first context has it
  std::map<CUcontext, CUmodule> modules;
  std::map<std::string, CUkernel, std::less<>> kernels;
};

struct Kernel {
  std::weak_ptr<Library> library;
  CUlibrary library_handle = nullptr;
  const ptx::Function* code = nullptr;
  std::shared_ptr<KernelSettings> settings;
};

namespace modules {

// What went wrong, for the program and for people.
struct Refusal {
  CUresult result = CUDA_SUCCESS;
  std::string text;
  std::string log{};  // for the program, where a real driver says it in other words

  const std::string& logged() const { return log.empty() ? text : log; }
};

// The PTX for a GPU in what a program hands over: text, a fat binary, or the wrapper around one.
Refusal ptx_of(const void* image, int capability, std::string& text);
Refusal ptx_of_bytes(const std::string& bytes, int capability, std::string& text);  // never reads behind them
Refusal ptx_of_file(const char* name, int capability, std::string& text);
// As of a cubin: a GPU runs those of its own major number and of its own or an earlier minor one.
Refusal check_architecture(const fatbin::Image& image, int capability);
// One text for the parts of a module.
Refusal joined(std::vector<std::string> parts, std::string& text);
Refusal bytes_of_file(const char* name, std::string& bytes);
int capability_of(const Device& device);

Refusal load(Device& device, CUcontext context, std::shared_ptr<const std::string> text, CUmodule& out);
std::shared_ptr<Module> find(CUmodule handle);
bool unload(CUmodule handle);
void remove_of(CUcontext context);
CUfunction function(Module& module, std::string_view name);  // null: none
CUresult variable(const Module& module, const char* name, CUdeviceptr* address, std::size_t* size, bool managed_only);

// Whether parts make a module that can be loaded.
Refusal check(const std::vector<std::string>& parts);

Refusal load_library(std::shared_ptr<const std::string> text, CUlibrary& out);
std::shared_ptr<Library> find_library(CUlibrary handle);
bool unload_library(CUlibrary handle);
CUkernel kernel(Library& library, std::string_view name);
// The module of a library in a context; loaded when it is first asked for.
CUresult module_in(Library& library, Device& device, CUcontext context, CUmodule& out);

// A function, or a kernel as it is in the context.
std::shared_ptr<KernelFunction> find_function(CUfunction handle, Device* device, CUcontext context, CUresult& result);
std::shared_ptr<Kernel> find_kernel(CUkernel handle);
// Code and settings of either, in no context. They stay while the caller holds them: another thread may unload the
// module.
bool look_at(CUfunction handle, std::shared_ptr<const ptx::Function>& code, std::shared_ptr<KernelSettings>& settings);

// Reports it (logs.hpp).
CUresult tell(const Refusal& refusal);

}  // namespace modules
}  // namespace nvmlkit::cuda
