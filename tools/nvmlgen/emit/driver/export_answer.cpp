#include "emit/driver/export_answer.hpp"

#include <fmt/format.h>

#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

class AnswerWriter {
 public:
  AnswerWriter(const Function& function, const FunctionSemantics& entry) : function_(function), entry_(entry) {}

  std::string write() {
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
    return out_;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // What MIG devices answer differently from GPUs, and GPUs in MIG mode.
  void answer_on_mig() {
    if (entry_.on_mig == "code" && entry_.sim.by.empty()) {
      const auto rest = argument_list(function_, entry_, true);
      line("  if (target.mig) {{");
      call_consistently("machine->sequence(*gpu)", fmt::format("functions::on_mig::{}(*machine, *gpu, *target.mig{}{})",
                                                               function_.stem(), rest.empty() ? "" : ", ", rest));
      line("  }}");
    } else if (entry_.on_mig.starts_with("NVML_")) {
      line("  if (target.mig) return {};", entry_.on_mig);
    }
    if (!entry_.in_mig_mode.empty()) line("  if (nvmlkit::sim::mig::enabled(*gpu)) return {};", entry_.in_mig_mode);
  }

  void call_code() {
    const bool on_device = self_kind(function_, entry_) == SelfKind::device;
    auto rest = argument_list(function_, entry_, on_device);
    if (!rest.empty()) rest = ", " + rest;
    if (entry_.sets()) {
      line("  return edit_gpu(*machine, *gpu, [&](auto& changed) {{ return functions::{}(*machine, changed{}); }});",
           function_.stem(), rest);
      return;
    }
    const auto call = !entry_.sim.by.empty() ? shared_call(rest)
                                             : fmt::format("functions::{}({}{})", function_.stem(),
                                                           on_device ? "*machine, *gpu" : "*machine", rest);
    if (!reads_the_machine()) {
      line("  return {};", call);
      return;
    }
    call_consistently(sequence(), call);
  }

  // A function for several entries answers for MIG devices too.
  std::string shared_call(const std::string& rest) const {
    const auto with = entry_.sim.with.empty() ? "" : ", nvmlkit::" + entry_.sim.with;
    return fmt::format("functions::{}(*machine, *gpu, target.mig{}{})", entry_.sim.by, with, rest);
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

  const Function& function_;
  const FunctionSemantics& entry_;
  std::string out_;
};

}  // namespace

std::string export_answer(const Function& function, const FunctionSemantics& entry) {
  return AnswerWriter(function, entry).write();
}

}  // namespace nvmlgen
