// src/driver/cudart/generated: declarations of the runtime's functions, and those functions that say nothing of their
// own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/cuda/emitters.hpp"
#include "emit/cuda/runtime_signatures.hpp"
#include "emit/cuda/text.hpp"
#include "registry/error.hpp"

namespace nvmlgen::cuda {
namespace {

const char* suffix_of(const std::string& name) {
  for (const char* const suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) return suffix;
  return "";
}

std::string type_of(const Param& p) {
  auto out = declare(p.type, "");
  out.pop_back();
  return out == "unsigned int" ? "unsigned" : out;
}

bool is_number(const std::string& type) {
  return type == "int" || type == "unsigned" || type == "unsigned long long" || type == "cuuint64_t" ||
         type == "std::size_t" || type == "float";
}

// An argument of the runtime as the driver takes it.
std::string converted(const std::string& name, const std::string& from, const std::string& to) {
  if (from == to || (from == "int" && to == "CUdevice")) return name;
  if (from.ends_with('*') && to == "CUdeviceptr") return fmt::format("address_of({})", name);
  if (from.ends_with('*') && to.ends_with('*')) {
    const bool is_void = from == "void*" || to == "void*" || from == "const void*" || to == "const void*";
    return fmt::format("{}<{}>({})", is_void ? "static_cast" : "reinterpret_cast", to, name);
  }
  return is_number(from) && is_number(to) ? name : fmt::format("static_cast<{}>({})", to, name);
}

// The call, or nothing where the driver's function takes other arguments.
std::string call_of(const Registry& r, const RuntimeFunction& f, const Function& driver) {
  std::vector<std::string> arguments;
  std::size_t at = 0;
  for (const auto& p : driver.params) {
    const auto wanted = type_of(p);
    if (wanted == "CUcontext") {
      arguments.push_back("current_context()");
      continue;
    }
    if (at == f.params.size()) return "";
    arguments.push_back(converted(f.params[at].name, runtime_type(r, f.params[at]), wanted));
    ++at;
  }
  if (at != f.params.size()) return "";
  return fmt::format("{}({})", driver.name, fmt::join(arguments, ", "));
}

std::string driver_call(const Registry& r, const RuntimeFunction& f) {
  for (const auto& name : r.runtime.driver_functions.at(f.name))
    for (const auto& driver : r.functions)
      if (driver.name == name)
        if (auto call = call_of(r, f, driver); !call.empty()) return call;
  throw RegistryError("registry/cuda/runtime.yaml",
                      f.name + ": none of its functions of the driver takes as many arguments");
}

std::string variant_body(const Registry& r, const RuntimeFunction& f) {
  const std::string suffix = suffix_of(f.name);
  std::vector<std::string> arguments;
  for (const auto& p : f.params)
    arguments.push_back(suffix == "_ptsz" && runtime_type(r, p) == "CUstream" ? fmt::format("per_thread({})", p.name)
                                                                              : p.name);
  return fmt::format("{}  return {}({});\n", suffix == "_ptds" ? "  const OfThread of_thread;\n" : "",
                     f.name.substr(0, f.name.size() - suffix.size()), fmt::join(arguments, ", "));
}

bool is_generated_variant(const Registry& r, const std::string& name) {
  const std::string suffix = suffix_of(name);
  return !suffix.empty() && !r.runtime.own_variants.count(name.substr(0, name.size() - suffix.size()));
}

constexpr const char* kDefinition = "NVMLKIT_RUNTIME {} {{\n{}}}\n\n";

}  // namespace

std::string emit_prototypes(const Registry& r) {
  std::string out = kBanner;
  out +=
      R"(// The exported functions of the CUDA driver API. Those who define them and those who call them include this.
#pragma once

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {
extern "C" {

)";
  for (const auto& f : r.functions)
    if (f.declared) out += fmt::format("CUresult {}({});\n", f.name, parameter_list(f));
  return out + "\n}  // extern \"C\"\n}  // namespace nvmlkit::cuda\n";
}

std::string emit_driver_table(const Registry& r) {
  std::string members, loads;
  for (const auto& f : r.functions) {
    if (!f.declared) continue;
    members += fmt::format("  decltype(&cuda::{0}) {0};\n", f.name);
    loads += fmt::format("        {0}(find<decltype(&cuda::{0})>(library, \"{0}\")){1}\n", f.name,
                         &f == &r.functions.back() ? "" : ",");
  }
  while (loads.ends_with('\n') || loads.ends_with(',')) loads.pop_back();
  std::string out = kBanner;
  out +=
      R"(// The functions of a loaded libcuda.so.1, for tests: dlopen() as programs do it, and the compiler checks the arguments.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "driver/cuda/generated/prototypes.hpp"

namespace nvmlkit::cuda_test {

struct Driver {
)";
  out += members + "\n  explicit Driver(void* library)\n      : " + loads.substr(8) + " {}\n";
  return out + R"(
 private:
  template <class Function>
  static Function find(void* library, const char* name) {
    void* const address = dlsym(library, name);
    if (!address) ADD_FAILURE() << "no " << name;
    return reinterpret_cast<Function>(address);
  }
};

}  // namespace nvmlkit::cuda_test
)";
}

std::string emit_runtime_api(const Registry& r) {
  Conditional parts;
  for (const auto& s : runtime_signatures(r))
    parts.add(s.condition(), fmt::format("{};\n", runtime_declaration(r, *s.function)));
  std::string out = kBanner;
  out += R"(// The functions of the CUDA runtime that are simulated, as its headers declare them.
#pragma once

#include "driver/cudart/types.hpp"

namespace nvmlkit::cudart {
extern "C" {

)";
  return out + parts.text() + "}  // extern \"C\"\n}  // namespace nvmlkit::cudart\n";
}

std::string emit_runtime_driver_calls(const Registry& r) {
  Conditional parts;
  for (const auto& s : runtime_signatures(r))
    if (r.runtime.driver_functions.count(s.function->name))
      parts.add(s.condition(), fmt::format(fmt::runtime(kDefinition), runtime_declaration(r, *s.function),
                                           fmt::format("  return with_context([&] {{ return {}; }});\n",
                                                       driver_call(r, *s.function))));
  std::string out = kBanner;
  out += R"(// Functions of the runtime that hand their arguments to the driver.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

)";
  return out + parts.text() + "}  // namespace nvmlkit::cudart\n";
}

std::string emit_runtime_variants(const Registry& r) {
  Conditional parts;
  for (const auto& s : runtime_signatures(r))
    if (is_generated_variant(r, s.function->name))
      parts.add(s.condition(), fmt::format(fmt::runtime(kDefinition), runtime_declaration(r, *s.function),
                                           variant_body(r, *s.function)));
  std::string out = kBanner;
  out += R"(// What programs call that were built for a default stream per thread (`nvcc -default-stream per-thread`).
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

)";
  return out + parts.text() + "}  // namespace nvmlkit::cudart\n";
}

}  // namespace nvmlgen::cuda
