#include <fmt/format.h>

#include <set>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

std::string after_comma(const std::string& parameters) { return parameters.empty() ? "" : ", " + parameters; }

std::string declaration(const Function& function, const FunctionSemantics& entry) {
  const auto self = self_kind(function, entry);
  std::string parameters = parameter_list(function, entry, self == SelfKind::device && !entry.before_init);
  if (!entry.before_init) {
    std::string object = "const Machine& machine";
    if (self == SelfKind::device) object += entry.sets() ? ", Gpu& gpu" : ", const Gpu& gpu";
    parameters = object + after_comma(parameters);
  }
  return fmt::format("{} {}({});\n", function.ret == "const char *" ? "const char*" : function.ret, function.stem(),
                     parameters);
}

std::string declaration_on_mig(const Function& function, const FunctionSemantics& entry) {
  return fmt::format("nvmlReturn_t {}(const Machine& machine, const Gpu& gpu, DeviceId mig{});\n", function.stem(),
                     after_comma(parameter_list(function, entry, true)));
}

// Of a function that several entries share: sim::processes::Kind::mps -> sim::processes::Kind with.
std::string shared_declaration(const Function& function, const FunctionSemantics& entry) {
  const auto& with = entry.sim.with;
  return fmt::format(
      "nvmlReturn_t {}(const Machine& machine, const Gpu& gpu, std::optional<sim::mig::DeviceId> mig{}{});\n",
      entry.sim.by, with.empty() ? "" : ", " + with.substr(0, with.rfind("::")) + " with",
      after_comma(parameter_list(function, entry, true)));
}

}  // namespace

std::string emit_functions_header(const Registry& registry) {
  std::string out = kBanner;
  out +=
      R"(// The functions whose answer is plain C++ in the folders of src/driver/nvml/. The exported function that calls one has
// checked init, handle, pointers, versions, enums and privilege before, unless it answers before init. A function that
// takes a Gpu& changes a copy, which becomes the GPU if it succeeds; the others may run again when the machine changes
// while they read.
#pragma once

#include "nvmlkit/abi/legacy.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/mig/devices.hpp"
#include "sim/native/processes.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver::functions {

using namespace nvmlkit::abi;
using sim::Machine;
using sim::model::Gpu;

)";
  std::string on_mig;
  for (const auto& subject : registry.semantics.files) {
    std::string block;
    std::set<std::string> shared;
    for (const auto& function : registry.facts.functions) {
      const auto& entry = registry.semantics.functions.at(function.name);
      if (entry.file != subject) continue;
      if (!entry.sim.by.empty()) {
        const auto once = shared_declaration(function, entry);
        if (shared.insert(once).second) block += once;
        continue;
      }
      if (entry.on_mig == "code") on_mig += declaration_on_mig(function, entry);
      if (entry.sim.answer == Answer::code) block += declaration(function, entry);
    }
    if (!block.empty()) out += fmt::format("// {}\n{}\n", subject, block);
  }
  out += "// The same functions on a MIG device of the GPU, where they answer differently.\nnamespace on_mig {\n\n";
  out += "using sim::mig::DeviceId;\n\n" + on_mig + "\n}  // namespace on_mig\n";
  out += "}  // namespace nvmlkit::driver::functions\n";
  return out;
}

}  // namespace nvmlgen
