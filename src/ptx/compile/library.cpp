#include "ptx/compile/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ptx/compile/compiled.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::string_view kName = "libnvmlkit_ptx_compiler.so";

// Beside this code, or in the folder of libraries beside that of a program; empty where it is not.
std::string find_library() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&find_library), &own) == 0 || !own.dli_fname) return {};
  const std::string_view file = own.dli_fname;
  const auto slash = file.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "." : file.substr(0, slash));
  for (const std::string_view part : {"/", "/nvmlkit/", "/../lib/", "/../lib/nvmlkit/"}) {
    auto path = folder + std::string(part) + std::string(kName);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

const CompilerInterface* interpret_because(const char* reason) {
  std::fprintf(stderr, "nvmlkit: %s: kernels are interpreted\n", reason);
  return nullptr;
}

// This takes some 20 ms, and is left until something is to be compiled.
const CompilerInterface* load() {
  const auto& path = path_of_compiler();
  if (path.empty()) return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return interpret_because(dlerror());
  const auto* const found = static_cast<const CompilerInterface*>(dlsym(library, kCompilerSymbol));
  if (found && found->version == kCompilerVersion) return found;
  return interpret_because((path + " is of another build of nvmlkit").c_str());
}

Engine wanted() {
  const char* const set = std::getenv("NVMLKIT_CUDA_ENGINE");
  const std::string_view name = set ? set : "";
  if (name == "interpret") return Engine::interpret;
  if (name == "compile") return Engine::compile;
  if (!name.empty() && name != "auto")
    std::fprintf(stderr, "nvmlkit: NVMLKIT_CUDA_ENGINE is '%s'; it may be interpret, compile or auto\n", set);
  return Engine::choose;
}

}  // namespace

const std::string& path_of_compiler() {
  static const auto* const the = new std::string(find_library());
  return *the;
}

const CompilerInterface* compiler() {
  static const auto* const the = load();
  return the;
}

Engine engine() {
  static const Engine the = [] {
    const auto chosen = wanted();
    if (chosen == Engine::interpret || !path_of_compiler().empty()) return chosen;
    if (chosen == Engine::compile)
      std::fprintf(stderr, "nvmlkit: NVMLKIT_CUDA_ENGINE is compile, and %s is not there: kernels are interpreted\n",
                   std::string(kName).c_str());
    return Engine::interpret;
  }();
  return the;
}

}  // namespace nvmlkit::ptx
