#include "emit/driver/export_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

class CheckWriter {
 public:
  CheckWriter(const Facts& facts, const Function& function, const FunctionSemantics& entry)
      : facts_(facts), function_(function), entry_(entry) {}

  ExportChecks write() {
    check_init();
    check_arguments();
    check_versions();
    check_enums();
    check_privilege();
    return {out_, refuses_};
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
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
      refuses_ = true;
      return;
    }
    for (const auto& pointer : required_pointers(function_, entry_)) refusals.push_back("!" + pointer);
    if (!refusals.empty()) line("  if ({}) return NVML_ERROR_INVALID_ARGUMENT;", fmt::join(refusals, " || "));
  }

  void check_versions() {
    if (refuses_ || entry_.versions.empty()) return;
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
    if (refuses_) return;
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

  // Only functions that change something: on hardware, every user may call getters that the header reserves for root.
  void check_privilege() {
    if (refuses_ || !entry_.commands() || (!entry_.root && entry_.restricted_by.empty())) return;
    if (entry_.restricted_by.empty())
      line("  if (!is_privileged(*machine)) return NVML_ERROR_NO_PERMISSION;");
    else
      line("  if (!is_privileged(*machine, {}, {})) return NVML_ERROR_NO_PERMISSION;",
           model_expression(entry_.restricted_by), entry_.root);
  }

  const Facts& facts_;
  const Function& function_;
  const FunctionSemantics& entry_;
  std::string out_;
  bool refuses_ = false;
};

}  // namespace

ExportChecks export_checks(const Facts& facts, const Function& function, const FunctionSemantics& entry) {
  return CheckWriter(facts, function, entry).write();
}

}  // namespace nvmlgen
