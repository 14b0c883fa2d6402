#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

// Writes one exported function. What answers is a function of its own: the checks that every function of its shape
// makes, then the answer. The exported one calls it, by way of observe() while somebody logs or disturbs calls.
class ExportWriter {
 public:
  ExportWriter(const Facts& facts, const Function& function, const FunctionSemantics& entry)
      : facts_(facts), function_(function), entry_(entry) {}

  std::string write() {
    const bool observed = function_.ret == "nvmlReturn_t";
    if (observed) {
      line("static nvmlReturn_t answer_{}({}) {{", function_.stem(), parameter_list(function_, entry_, false));
      write_answer();
      line("}}");
    }
    line("NVMLKIT_EXPORT {} {}({}) {{", observed ? "nvmlReturn_t" : "const char*", function_.name,
         parameter_list(function_, entry_, false));
    if (observed)
      write_call();
    else
      write_answer();
    line("}}\n");
    return out_;
  }

 private:
  void write_call() {
    auto rest = arguments(false);
    line("  if (watched()) [[unlikely]] return observe<answer_{0}>(Symbol::{0}{1});", function_.stem(),
         rest.empty() ? rest : ", " + rest);
    line("  return answer_{}({});", function_.stem(), rest);
  }

  void write_answer() {
    if (entry_.before_init) {
      line("  return functions::{}({});", function_.stem(), arguments(false));
    } else {
      check_init();
      check_arguments();
      check_versions();
      check_enums();
      check_privilege();
      answer();
    }
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string arguments(bool without_self) const {
    std::vector<std::string> names;
    for (const auto& p : function_.params) {
      const auto* semantics = entry_.find(p.name);
      if (without_self && semantics->role == Role::self) continue;
      names.push_back(p.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void check_init() {
    line("  const auto* machine = initialized_machine();");
    line("  if (!machine) return NVML_ERROR_UNINITIALIZED;");
  }

  // Handles and pointers. A handle of another class than device is checked by the code that knows the class; where
  // there is none, the library never gave such a handle.
  void check_arguments() {
    std::vector<std::string> refusals;
    const auto self = self_kind(function_, entry_);
    if (self == SelfKind::device) {
      if (entry_.on_mig.empty()) {
        line("  const auto* gpu = find_gpu(*machine, {});", entry_.self()->name);
      } else {
        line("  const auto target = find_target(*machine, {});", entry_.self()->name);
        line("  const auto* gpu = target.gpu;");
      }
      refusals.push_back("!gpu");
    } else if (self == SelfKind::foreign && entry_.sim.answer != Answer::code) {
      line("  return NVML_ERROR_INVALID_ARGUMENT;");
      ended_ = true;
      return;
    }
    for (const auto& pointer : required_pointers(function_, entry_)) refusals.push_back("!" + pointer);
    if (!refusals.empty()) line("  if ({}) return NVML_ERROR_INVALID_ARGUMENT;", fmt::join(refusals, " || "));
  }

  void check_versions() {
    if (ended_ || entry_.versions.empty()) return;
    const auto* versioned = versioned_param();
    if (!versioned) return;
    std::vector<std::string> tags;
    for (const auto& macro : entry_.versions) tags.push_back(fmt::format("0x{:08x}u", *facts_.version_tag(macro)));
    line("  if (!is_one_of({}->version, {{{}}})) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;", versioned->name,
         fmt::join(tags, ", "));
  }

  const Param* versioned_param() const {
    for (const auto& p : function_.params) {
      if (p.kind != Kind::structure) continue;
      const auto* s = facts_.structure(p.base);
      if (s && !s->fields.empty() && s->fields.front().name == "version") return &p;
    }
    return nullptr;
  }

  void check_enums() {
    if (ended_) return;
    for (const auto& p : function_.params)
      if (p.kind == Kind::enumeration && p.ptr == 0 && p.base != "nvmlReturn_t")
        line("  if (!is_known({}){}) return NVML_ERROR_INVALID_ARGUMENT;", p.name, but_not(p));
  }

  std::string but_not(const Param& p) const {
    for (const auto& said : entry_.params)
      if (said.name == p.name && !said.also.empty())
        return fmt::format(" && static_cast<unsigned int>({}) != {}u", p.name, said.also);
    return {};
  }

  // Only of what changes something: on hardware everybody may run the getters that the header reserves for root.
  void check_privilege() {
    if (ended_ || !entry_.commands() || (!entry_.root && entry_.restricted_by.empty())) return;
    if (entry_.restricted_by.empty())
      line("  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;");
    else
      line("  if (!is_privileged(*machine, {}, {})) return NVML_ERROR_NO_PERMISSION;",
           model_expression(entry_.restricted_by), entry_.root);
  }

  void answer() {
    if (ended_) return;
    answer_on_mig();
    switch (entry_.sim.answer) {
      case Answer::read:
        read_fields();
        break;
      case Answer::code:
        call_code();
        break;
      case Answer::unsupported:
        line("  return {};  // {}", entry_.sim.result, entry_.sim.reason);
        break;
      case Answer::later:
        if (entry_.sim.result == "NVML_SUCCESS") clear_outputs();
        line("  return {};  // not simulated yet: {}", entry_.sim.result, entry_.sim.reason);
        break;
    }
  }

  // What MIG devices answer differently from GPUs, and GPUs in MIG mode.
  void answer_on_mig() {
    if (entry_.on_mig == "code") {
      const auto rest = arguments(true);
      line("  if (target.mig) {{");
      call_consistently("machine->sequence(*gpu)", fmt::format("functions::on_mig::{}(*machine, *gpu, *target.mig{}{})",
                                                               function_.stem(), rest.empty() ? "" : ", ", rest));
      line("  }}");
    } else if (!entry_.on_mig.empty() && entry_.on_mig != "gpu") {
      line("  if (target.mig) return {};", entry_.on_mig);
    }
    if (!entry_.in_mig_mode.empty()) line("  if (nvmlkit::sim::mig::enabled(*gpu)) return {};", entry_.in_mig_mode);
  }

  void call_code() {
    const bool on_device = self_kind(function_, entry_) == SelfKind::device;
    auto rest = arguments(on_device);
    if (!rest.empty()) rest = ", " + rest;
    if (entry_.sets()) {
      line("  return change(*machine, *gpu, [&](auto& changed) {{ return functions::{}(*machine, changed{}); }});",
           function_.stem(), rest);
      return;
    }
    const auto call =
        fmt::format("functions::{}({}{})", function_.stem(), on_device ? "*machine, *gpu" : "*machine", rest);
    if (!reads_the_machine()) {
      line("  return {};", call);
      return;
    }
    call_consistently(sequence(), call);
  }

  // What the caller says and the answer overwrites is said again to every try.
  void call_consistently(const std::string& sequence, const std::string& call) {
    const auto spoken = spoken_and_overwritten();
    for (const auto& name : spoken) line("  const auto said_{0} = *{0};", name);
    line("  return consistent(*machine, {}, [&] {{", sequence);
    for (const auto& name : spoken) line("    *{0} = said_{0};", name);
    line("    return {};", call);
    line("  }});");
  }

  // A function that waits or makes something must not run twice; one that reads no field need not.
  bool reads_the_machine() const {
    switch (entry_.call) {
      case Protocol::set:
      case Protocol::action:
      case Protocol::create:
      case Protocol::destroy:
      case Protocol::wait:
        return false;
      default:
        return !entry_.sim.reads.empty();
    }
  }

  std::vector<std::string> spoken_and_overwritten() const {
    std::vector<std::string> out;
    for (const auto& p : function_.params) {
      const auto role = entry_.find(p.name)->role;
      const bool number = p.ptr == 1 && (role == Role::length || (role == Role::inout && p.kind != Kind::structure));
      const bool counting_struct = role == Role::inout && entry_.call == Protocol::struct_array;
      if (number || counting_struct) out.push_back(p.name);
    }
    return out;
  }

  // One GPU's where nothing else is read, else that of all.
  std::string sequence() const {
    bool other = self_kind(function_, entry_) != SelfKind::device;
    const auto look = [&](const std::string& path) { other |= !path.starts_with("gpu."); };
    for (const auto& [target, path] : entry_.sim.read) look(path);
    for (const auto& path : entry_.sim.reads) look(path);
    for (const auto& p : function_.params) other |= p.base == "nvmlDevice_t" && entry_.find(p.name)->role != Role::self;
    return other ? "machine->sequence()" : "machine->sequence(*gpu)";
  }

  // An empty answer: no elements, zero.
  void clear_outputs() {
    for (const auto& p : function_.params) {
      const auto role = entry_.find(p.name)->role;
      if (role == Role::length || (role == Role::out && p.kind == Kind::integer)) line("  *{} = 0;", p.name);
    }
  }

  void read_fields() {
    const bool on_device = self_kind(function_, entry_) == SelfKind::device;
    std::vector<std::string> reads;
    for (const auto& p : function_.params)  // in the order of the declaration, not of the map
      for (const auto& [target, path] : entry_.sim.read) {
        const auto dot = target.find('.');
        if (target.substr(0, dot) != p.name) continue;
        const auto field = on_device ? "now(" + model_expression(path) + ")" : model_expression(path);
        if (p.kind == Kind::character)
          reads.push_back(fmt::format("read({}, {}, {})", field, p.name, entry_.find(p.name)->length));
        else if (dot == std::string::npos)
          reads.push_back(fmt::format("read({}, {})", field, p.name));
        else
          reads.push_back(fmt::format("read({}, &{}->{})", field, p.name, target.substr(dot + 1)));
      }
    line("  return consistent(*machine, {}, [&] {{", sequence());
    if (on_device) line("    const nvmlkit::sim::telemetry::Reading now(*machine, *gpu);");
    for (std::size_t i = 0; i + 1 < reads.size(); ++i)
      line("    if (const auto result = {}; result != NVML_SUCCESS) return result;", reads[i]);
    line("    return {};", reads.back());
    line("  }});");
  }

  const Facts& facts_;
  const Function& function_;
  const FunctionSemantics& entry_;
  std::string out_;
  bool ended_ = false;
};

}  // namespace

std::string emit_exports(const Registry& registry, const std::string& subject) {
  std::string out = kBanner;
  out += fmt::format("// Exported C functions of registry/semantics/{}.yaml.\n", subject);
  out += R"(#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/generated/known_values.hpp"
#include "driver/nvml/mig/handles.hpp"
#include "driver/nvml/call/observe.hpp"
#include "driver/nvml/call/read.hpp"
#include "sim/telemetry/reading.hpp"

// An argument that an answer does not need is named all the same.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"

using namespace nvmlkit::abi;
using namespace nvmlkit::driver;

NVMLKIT_EXPORTS_BEGIN

)";
  for (const auto& function : registry.facts.functions) {
    const auto& entry = registry.semantics.functions.at(function.name);
    if (entry.file == subject) out += ExportWriter(registry.facts, function, entry).write();
  }
  out += "NVMLKIT_EXPORTS_END\n";
  return out;
}

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
#include "sim/state/machine.hpp"
#include "sim/mig/devices.hpp"

namespace nvmlkit::driver::functions {

using namespace nvmlkit::abi;
using sim::Machine;
using sim::model::Gpu;

)";
  std::string on_mig;
  for (const auto& subject : registry.semantics.files) {
    std::string block;
    for (const auto& function : registry.facts.functions) {
      const auto& entry = registry.semantics.functions.at(function.name);
      if (entry.file == subject && entry.on_mig == "code") {
        const auto rest = parameter_list(function, entry, true);
        on_mig += fmt::format("nvmlReturn_t {}(const Machine& machine, const Gpu& gpu, DeviceId mig{}{});\n",
                              function.stem(), rest.empty() ? "" : ", ", rest);
      }
      if (entry.file != subject || entry.sim.answer != Answer::code) continue;
      const auto self = self_kind(function, entry);
      std::string parameters = parameter_list(function, entry, self == SelfKind::device && !entry.before_init);
      if (!entry.before_init) {
        std::string object = "const Machine& machine";
        if (self == SelfKind::device) object += entry.sets() ? ", Gpu& gpu" : ", const Gpu& gpu";
        parameters = parameters.empty() ? object : object + ", " + parameters;
      }
      block += fmt::format("{} {}({});\n", function.ret == "const char *" ? "const char*" : function.ret,
                           function.stem(), parameters);
    }
    if (!block.empty()) out += fmt::format("// {}\n{}\n", subject, block);
  }
  out += "// The same functions on a MIG device of the GPU, where they answer differently.\nnamespace on_mig {\n\n";
  out += "using sim::mig::DeviceId;\n\n" + on_mig + "\n}  // namespace on_mig\n";
  out += "}  // namespace nvmlkit::driver::functions\n";
  return out;
}

std::string emit_known_values(const Registry& registry) {
  std::string out = kBanner;
  out += R"(// Which values an enum argument may have.
#pragma once


namespace nvmlkit::abi {

)";
  for (const auto& enumeration : registry.facts.enums) {
    bool used = false;
    for (const auto& function : registry.facts.functions)
      for (const auto& p : function.params) used |= p.ptr == 0 && p.base == enumeration.name;
    if (!used || enumeration.name == "nvmlReturn_t") continue;
    out += fmt::format("constexpr bool is_known({} value) {{\n  switch (static_cast<long long>(value)) {{\n",
                       enumeration.name);
    for (const auto& [name, value] : real_values(enumeration)) out += fmt::format("    case {}:\n", name);
    out += "      return true;\n    default:\n      return false;\n  }\n}\n\n";
  }
  out += "}  // namespace nvmlkit::abi\n";
  return out;
}

std::string emit_version_script(const Registry& registry) {
  std::string out = "# Generated by nvmlgen from registry/. Do not edit.\n{\n  global:\n";
  for (const auto& function : registry.facts.functions) out += fmt::format("    {};\n", function.name);
  out += "  local:\n    *;\n};\n";
  return out;
}

}  // namespace nvmlgen
