#include "driver/cuda/code/modules.hpp"

#include <algorithm>
#include <utility>

#include "base/never_destroyed.hpp"
#include "driver/cuda/code/head.hpp"
#include "driver/cuda/context/context.hpp"
#include "driver/cuda/handles.hpp"
#include "driver/cuda/logs.hpp"
#include "driver/cuda/textures/texture_references.hpp"
#include "ptx/checks.hpp"
#include "ptx/parse/error_text.hpp"
#include "ptx/parse/ptxas_log.hpp"

namespace nvmlkit::cuda {
namespace modules {
namespace {

auto& all_modules() {
  static NeverDestroyed<Handles<CUmodule, Module, HandleKind::module>> the;
  return *the;
}
auto& all_functions() {
  static NeverDestroyed<Handles<CUfunction, KernelFunction, HandleKind::function>> the;
  return *the;
}
auto& all_libraries() {
  static NeverDestroyed<Handles<CUlibrary, Library, HandleKind::library>> the;
  return *the;
}
auto& all_kernels() {
  static NeverDestroyed<Handles<CUkernel, Kernel, HandleKind::kernel>> the;
  return *the;
}

// Kernels of a larger text are read when they are first used: most programs use few kernels of a large module.
constexpr std::size_t kReadAtOnce = 256 * 1024;

Refusal refusal_of(const ptx::Error& e) {
  return {CUDA_ERROR_INVALID_PTX, "PTX line " + std::to_string(e.line) + ": " + text_of(e), ptx::ptxas_log(e)};
}

Refusal decode_text(std::shared_ptr<const std::string> text, std::shared_ptr<ptx::Module>& out) {
  try {
    out = text->size() > kReadAtOnce ? ptx::open(text) : ptx::load(*text);
    if (ptx::checking.is_on()) out->text = std::move(text);
    return {};
  } catch (const ptx::Error& e) {
    return refusal_of(e);
  }
}

// Before anybody looks at the code of a kernel.
CUresult make_ready(const ptx::Module& module, const ptx::Function& kernel) {
  try {
    ptx::decode(module, kernel);
    return CUDA_SUCCESS;
  } catch (const ptx::Error& e) {
    return tell(refusal_of(e));
  }
}

}  // namespace
}  // namespace modules

int most_dynamic_shared(const KernelSettings& settings, const ptx::Function& code) {
  if (const int set = settings.most_dynamic_shared; set >= 0) return set;
  return static_cast<int>(std::max<std::int64_t>(48 * 1024 - static_cast<std::int64_t>(code.shared_bytes), 0));
}

namespace modules {

CUresult tell(const Refusal& refusal) {
  if (!refusal.text.empty()) logs::report(refusal.text);
  return refusal.result;
}

namespace {

// `code` belongs to this context from here on: the addresses of its variables are written into it.
Refusal place(Device& device, CUcontext context, std::shared_ptr<ptx::Module> code, CUmodule& out) {
  auto made = std::make_shared<Module>();
  made->code = std::move(code);
  made->context = context;
  made->device = &device;
  if (made->code->image_bytes > 0) {
    const auto& all = made->code->variables;
    const bool managed = std::any_of(all.begin(), all.end(), [](const auto& v) { return v.is_managed; });
    made->image =
        memory::allocate(managed ? MemoryKind::managed : MemoryKind::device, device, context, made->code->image_bytes);
    if (!made->image) return {CUDA_ERROR_OUT_OF_MEMORY, ""};
    made->image->is_of_driver = true;
    const auto image = ptx::place(*made->code, made->image->address);
    std::copy(image.begin(), image.end(), made->image->bytes);
  }
  for (const auto& f : made->code->functions) {
    if (!f.is_entry || !f.is_defined) continue;
    auto function = std::make_shared<KernelFunction>();
    function->module = made;
    function->code = &f;
    function->settings = std::make_shared<KernelSettings>();
    made->functions[f.name] = all_functions().add(std::move(function));
  }
  made->handle = out = all_modules().add(made);  // complete: from here on other threads may find it
  return {};
}

}  // namespace

Refusal load(Device& device, CUcontext context, std::shared_ptr<const std::string> text, CUmodule& out) {
  std::shared_ptr<ptx::Module> code;
  if (auto refusal = decode_text(std::move(text), code); refusal.result != CUDA_SUCCESS) return refusal;
  return place(device, context, std::move(code), out);
}

Refusal check(const std::vector<std::string>& parts) {
  std::string text;
  if (auto refusal = joined(parts, text); refusal.result != CUDA_SUCCESS) return refusal;
  try {
    ptx::load(text);
    return {};
  } catch (const ptx::Error& e) {
    return refusal_of(e);
  }
}

std::shared_ptr<Module> find(CUmodule handle) { return all_modules().find(handle); }

namespace {

// Another thread may be looking at it: the module stays as it is.
void forget(const Module& module) {
  for (const auto& [name, function] : module.functions) all_functions().remove(function);
  texture_references::remove_of(module.handle);
  if (module.image) memory::remove(module.image->address, MemoryKind::device, MemoryKind::managed);
}

}  // namespace

bool unload(CUmodule handle) {
  const auto module = all_modules().remove(handle);
  if (module) forget(*module);
  return module != nullptr;
}

void remove_of(CUcontext context) {
  for (const auto& module : all_modules().take_if([&](const Module& m) { return m.context == context; }))
    forget(*module);
  all_libraries().each([&](Library& library) {
    const std::lock_guard lock(library.mutex);
    library.modules.erase(context);
  });
}

CUfunction function(Module& module, std::string_view name) {
  const auto at = module.functions.find(name);
  return at == module.functions.end() ? nullptr : at->second;
}

CUresult variable(const Module& module, const char* name, CUdeviceptr* address, std::size_t* size, bool managed_only) {
  const auto at = module.code->variable_named.find(name);
  if (at == module.code->variable_named.end() || !module.image) return CUDA_ERROR_NOT_FOUND;
  const auto& v = *at->second;
  if (v.reference != ptx::Reference::none) return CUDA_ERROR_INVALID_VALUE;
  if (v.space == ptx::Space::shared || (managed_only && !v.is_managed)) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = module.image->address + v.offset;
  if (size) *size = v.size;
  return CUDA_SUCCESS;
}

Refusal load_library(std::shared_ptr<const std::string> text, CUlibrary& out) {
  auto made = std::make_shared<Library>();
  if (auto refusal = decode_text(text, made->code); refusal.result != CUDA_SUCCESS) return refusal;
  made->unused = made->code;
  made->text = std::move(text);
  out = all_libraries().add(made);
  for (const auto& f : made->code->functions) {
    if (!f.is_entry || !f.is_defined) continue;
    auto kernel = std::make_shared<Kernel>();
    kernel->library = made;
    kernel->library_handle = out;
    kernel->code = &f;
    kernel->settings = std::make_shared<KernelSettings>();
    made->kernels[f.name] = all_kernels().add(std::move(kernel));
  }
  return {};
}

std::shared_ptr<Kernel> find_kernel(CUkernel handle) { return all_kernels().find(handle); }
std::shared_ptr<Library> find_library(CUlibrary handle) { return all_libraries().find(handle); }

bool unload_library(CUlibrary handle) {
  const auto library = all_libraries().remove(handle);
  if (!library) return false;
  for (const auto& [name, kernel] : library->kernels) all_kernels().remove(kernel);
  const std::lock_guard lock(library->mutex);
  for (const auto& [context, module] : library->modules) unload(module);
  return true;
}

CUkernel kernel(Library& library, std::string_view name) {
  const auto at = library.kernels.find(name);
  return at == library.kernels.end() ? nullptr : at->second;
}

namespace {

// A setting of a kernel counts in every context, whichever of its handles it was made by. Another thread may be
// unloading the library, or ending the context.
void share_settings(Library& library, CUmodule handle) {
  const auto module = find(handle);
  if (!module) return;
  for (const auto& [name, function] : module->functions) {
    const auto in_context = all_functions().find(function);
    const auto in_library = find_kernel(kernel(library, name));
    if (in_context && in_library) in_context->settings = in_library->settings;
  }
}

}  // namespace

CUresult module_in(Library& library, Device& device, CUcontext context, CUmodule& out) {
  const std::lock_guard lock(library.mutex);
  auto& module = library.modules[context];
  if (!module) {
    auto refusal = library.unused ? place(device, context, std::exchange(library.unused, nullptr), module)
                                  : load(device, context, library.text, module);
    if (refusal.result != CUDA_SUCCESS) return tell(refusal);
    share_settings(library, module);
  }
  out = module;
  return CUDA_SUCCESS;
}

std::shared_ptr<KernelFunction> find_function(CUfunction handle, Device* device, CUcontext context, CUresult& result) {
  result = CUDA_ERROR_INVALID_HANDLE;
  if (auto found = all_functions().find(handle)) {
    result = make_ready(*found->module->code, *found->code);
    return result == CUDA_SUCCESS ? found : nullptr;
  }
  const auto kernel = find_kernel(reinterpret_cast<CUkernel>(handle));
  const auto library = kernel ? kernel->library.lock() : nullptr;
  if (!library || !device) return nullptr;
  CUmodule module = nullptr;
  result = module_in(*library, *device, context, module);
  if (result != CUDA_SUCCESS) return nullptr;
  const auto loaded = find(module);
  auto found = loaded ? all_functions().find(function(*loaded, kernel->code->name)) : nullptr;
  // A program may have unloaded the module, which was not its own.
  result = found ? make_ready(*found->module->code, *found->code) : CUDA_ERROR_INVALID_HANDLE;
  return result == CUDA_SUCCESS ? found : nullptr;
}

bool look_at(CUfunction handle, std::shared_ptr<const ptx::Function>& code, std::shared_ptr<KernelSettings>& settings) {
  if (const auto found = all_functions().find(handle)) {
    code = {found->module->code, found->code};
    settings = found->settings;
    return make_ready(*found->module->code, *code) == CUDA_SUCCESS;
  }
  const auto kernel = find_kernel(reinterpret_cast<CUkernel>(handle));
  const auto library = kernel ? kernel->library.lock() : nullptr;
  if (!library || make_ready(*library->code, *kernel->code) != CUDA_SUCCESS) return false;
  code = {library->code, kernel->code};
  settings = kernel->settings;
  return true;
}

}  // namespace modules
}  // namespace nvmlkit::cuda
