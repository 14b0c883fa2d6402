#include "emit/driver/export_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

class CheckWriter {
 public:
  CheckWriter(const Facts& facts, const Function& function, const FunctionSemantics& entry)
      : facts_(facts), function_(function), entry_(entry) {}

  ExportChecks write() {
    check_init();
    check_handle();
    check_needs();
    check_pointers();
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

  // A handle of another class than device is checked by the code that knows the class; where there is none, the library
  // never gave such a handle.
  void check_handle() {
    const auto self = self_kind(function_, entry_);
    if (self == SelfKind::device) {
      if (entry_.on_mig.empty()) {
        line("  const auto* gpu = find_gpu(*machine, {});", entry_.self()->name);
      } else {
        line("  const auto target = find_target(*machine, {});", entry_.self()->name);
        line("  const auto* gpu = target.gpu;");
      }
      refusals_.push_back("!gpu");
    } else if (self == SelfKind::foreign && entry_.sim.answer != Answer::code) {
      line("  return NVML_ERROR_INVALID_ARGUMENT;");
      refuses_ = true;
    } else if (self == SelfKind::foreign && function_.find(entry_.self()->name)->kind == Kind::handle) {
      refusals_.push_back("!" + entry_.self()->name);
    }
  }

  void refuse_by_now() {
    if (!refusals_.empty()) line("  if ({}) return NVML_ERROR_INVALID_ARGUMENT;", fmt::join(refusals_, " || "));
    refusals_.clear();
  }

  // What the GPU must have comes before all other arguments, where the registry says so.
  void check_needs() {
    if (refuses_ || entry_.needs.empty()) return;
    for (const auto& pointer : entry_.needs_after) refusals_.push_back("!" + pointer);
    refuse_by_now();
    const bool on_device = self_kind(function_, entry_) == SelfKind::device;
    line("  if (!{}) return NVML_ERROR_NOT_SUPPORTED;",
         entry_.needs == "vgpu_host" ? (on_device ? "nvmlkit::sim::vgpu::is_host(*gpu)" : "hosts_vgpus(*machine)")
         : entry_.needs == "nvlinks" ? "nvmlkit::sim::links::count(*gpu)"
                                     : fmt::format("is_present({})", model_expression(entry_.needs)));
  }

  void check_pointers() {
    if (refuses_) return;
    const auto& before = entry_.needs_after;
    for (const auto& pointer : required_pointers(function_, entry_))
      if (std::find(before.begin(), before.end(), pointer) == before.end()) refusals_.push_back("!" + pointer);
    refuse_by_now();
    for (const auto& p : entry_.params)
      if (!p.missing.empty()) {
        const bool counted_by_pointer = function_.find(p.length)->ptr > 0;
        line("  if (!{} && {}{} != 0) return {};", p.name, counted_by_pointer ? "*" : "", p.length, p.missing);
      }
  }

  void check_versions() {
    if (refuses_ || entry_.versions.empty()) return;
    const auto* versioned = versioned_param();
    if (!versioned) return;
    std::vector<std::string> tags;
    for (const auto& macro : entry_.versions) tags.push_back(fmt::format("0x{:08x}u", *facts_.version_tag(macro)));
    line("  if (!is_one_of({}->version, {{{}}})) return {};", versioned->name, fmt::join(tags, ", "),
         entry_.mismatch.empty() ? "NVML_ERROR_ARGUMENT_VERSION_MISMATCH" : entry_.mismatch);
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
      if (p.kind == Kind::enumeration && p.ptr == 0 && p.base != "nvmlReturn_t") check_enum(p, *entry_.find(p.name));
  }

  void check_enum(const Param& p, const ParamSemantics& said) {
    if (said.unknown == "accepted") return;
    line("  if (!is_known({}){}) return {};", p.name, but_not(p),
         said.unknown.empty() ? "NVML_ERROR_INVALID_ARGUMENT" : said.unknown);
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
  std::vector<std::string> refusals_;  // conditions of the next Invalid Argument
  bool refuses_ = false;
};

}  // namespace

ExportChecks export_checks(const Facts& facts, const Function& function, const FunctionSemantics& entry) {
  return CheckWriter(facts, function, entry).write();
}

}  // namespace nvmlgen
