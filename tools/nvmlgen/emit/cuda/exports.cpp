#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "emit/cuda/emitters.hpp"
#include "emit/cuda/text.hpp"

namespace nvmlgen::cuda {
namespace {

bool is_stream(const Param& p) { return p.type == "CUstream"; }

std::string names(const Function& f) {
  std::vector<std::string> out;
  for (const auto& p : f.params) out.push_back(p.name);
  return fmt::format("{}", fmt::join(out, ", "));
}

const char* check_of(Needs needs) {
  switch (needs) {
    case Needs::nothing:
      return "";
    case Needs::init:
      return "  if (!is_initialized()) return refused(CUDA_ERROR_NOT_INITIALIZED);\n";
    case Needs::context:
      return "  const Current current;\n  if (!current) return refused(current.refusal());\n";
  }
  return "";
}

// Checks that every function of its shape makes, in the order of the real library, then the answer.
std::string body(const Registry& r, const Function& f) {
  const auto& meaning = r.meaning(f);
  if (!f.stream.empty() && f.declared) {
    const char* const scope = f.stream == "ptds" ? "  const OfThread of_thread;\n" : "";
    return fmt::format("{}  return {}({});\n", scope, f.base(), arguments(f));
  }
  switch (meaning.answer) {
    case Answer::refused:
      return fmt::format("  return refuse();  // {}\n", meaning.reason);
    case Answer::later:
      return fmt::format("  return refuse();  // not simulated yet: {}\n", meaning.reason);
    case Answer::code:
      break;
  }
  std::string out = check_of(meaning.needs);
  std::vector<std::string> missing;
  for (const auto& p : f.params)
    if (p.is_pointer() && !meaning.optional.count(p.name)) missing.push_back("!" + p.name);
  if (!missing.empty())
    out += fmt::format("  if ({}) return refused(CUDA_ERROR_INVALID_VALUE);\n", fmt::join(missing, " || "));
  auto handed = names(f);
  if (meaning.needs == Needs::context) handed = handed.empty() ? "*current" : "*current, " + handed;
  return out + fmt::format("  return guarded([&] {{ return functions::{}({}); }});\n", f.stem(), handed);
}

}  // namespace

std::string parameter_list(const Function& f) {
  std::vector<std::string> out;
  for (const auto& p : f.params) out.push_back(declare(p.type, p.name));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string arguments(const Function& f) {
  std::vector<std::string> out;
  for (const auto& p : f.params)
    out.push_back(is_stream(p) && f.stream == "ptsz" ? fmt::format("per_thread({})", p.name) : p.name);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string emit_exports(const Registry& r, const std::string& subject) {
  std::string out = kBanner;
  out += fmt::format("// Exported C functions of registry/cuda/semantics/{}.yaml.\n", subject);
  out += R"(#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/generated/prototypes.hpp"

// An argument that an answer does not need is named all the same.
#pragma GCC diagnostic ignored "-Wunused-parameter"

using namespace nvmlkit::cuda;

extern "C" {

)";
  // The variants of the per-thread default stream call the function that they are variants of.
  for (const bool variants : {false, true})
    for (const auto& f : r.functions)
      if (r.meaning(f).subject == subject && variants == !f.stream.empty())
        out += fmt::format("NVMLKIT_CUDA_EXPORT CUresult {}({}) {{\n{}}}\n\n", f.name, parameter_list(f), body(r, f));
  return out + "}  // extern \"C\"\n";
}

std::string emit_functions_header(const Registry& r) {
  std::string out = kBanner;
  out +=
      R"(// The functions whose answer is plain C++ in src/driver/cuda/functions/. The exported function that calls one has
// checked that the driver is initialized, that there is a current context, and the pointers that must not be null.
#pragma once

#include "driver/cuda/context/context.hpp"
#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda::functions {

)";
  for (const auto& subject : r.subjects) {
    std::string block;
    for (const auto& f : r.functions) {
      const auto& meaning = r.meaning(f);
      if (meaning.subject != subject || meaning.answer != Answer::code || !f.stream.empty()) continue;
      auto parameters = parameter_list(f);
      if (meaning.needs == Needs::context)
        parameters = parameters.empty() ? "Context& context" : "Context& context, " + parameters;
      block += fmt::format("CUresult {}({});\n", f.stem(), parameters);
    }
    if (!block.empty()) out += fmt::format("// {}\n{}\n", subject, block);
  }
  return out + "}  // namespace nvmlkit::cuda::functions\n";
}

std::string emit_objects(const Registry& r) {
  std::string out = kBanner;
  out += R"(// Objects that a debugger looks for. Nothing here reads or writes them.
#include "driver/cuda/call.hpp"

extern "C" {

)";
  for (const auto& [name, size] : r.objects) {
    if (size == 4 || size == 8)
      out += fmt::format("NVMLKIT_CUDA_EXPORT unsigned {} {} = 0;\n", size == 8 ? "long" : "int", name);
    else
      out += fmt::format("NVMLKIT_CUDA_EXPORT char {}[{}] = {{}};\n", name, size);
  }
  return out + "\n}  // extern \"C\"\n";
}

std::string emit_version_script(const Registry& r) {
  std::string out = "# Generated by nvmlgen from registry/. Do not edit.\n{\n  global:\n";
  for (const auto& f : r.functions) out += fmt::format("    {};\n", f.name);
  for (const auto& [name, size] : r.objects) out += fmt::format("    {};\n", name);
  return out + "  local:\n    *;\n};\n";
}

}  // namespace nvmlgen::cuda
