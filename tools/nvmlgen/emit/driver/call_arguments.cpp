#include <fmt/format.h>

#include <map>

#include "emit/driver/emitters.hpp"
#include "emit/driver/text.hpp"

namespace nvmlgen {
namespace {

// Texts as offsets into one: a table of pointers would cost every process relocations for a log that few read.
class Texts {
 public:
  std::size_t at(const std::string& text) {
    const auto [place, fresh] = places_.emplace(text, all_.size());
    if (fresh) all_ += text + '\0';
    return place->second;
  }
  std::string literal() const {
    std::string out;
    std::string line;
    for (const char c : all_) {
      line += c == '\0' ? std::string("\\0") : std::string(1, c);
      if (c != '\0' || line.size() < 100) continue;
      out += "    \"" + line + "\"\n";
      line.clear();
    }
    return out + "    \"" + line + "\"";
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::string all_;
};

class Tables {
 public:
  explicit Tables(const Registry& registry) : registry_(registry), facts_(registry.facts) {}

  void add(const Function& function) {
    const auto& entry = registry_.semantics.functions.at(function.name);
    functions_ += fmt::format("    {{{}, {}}},  // {}\n", argument_count_, function.params.size(), function.name);
    for (const auto& p : function.params) add(p, *entry.find(p.name), function.name);
  }

  std::string text() const {
    return fmt::format(
        "constexpr char texts[] =\n{};\n\nconstexpr MemberInfo members[] = {{\n{}}};\n\n"
        "constexpr ArgumentInfo arguments[] = {{\n{}}};\n\nconstexpr CallInfo calls[] = {{\n{}}};\n",
        texts_.literal(), members_, arguments_, functions_);
  }

 private:
  void add(const Param& p, const ParamSemantics& semantics, const std::string& function) {
    const auto* layout = p.kind == Kind::structure ? facts_.structure(p.base) : nullptr;
    std::size_t first = 0, count = 0;
    if (layout && p.ptr == 1 && semantics.role != Role::array) {
      const auto known = layouts_.find(layout->name);
      if (known == layouts_.end()) {
        const auto before = member_count_;
        add_members(layout->fields, "", 0);
        layouts_[layout->name] = {before, member_count_ - before};
      }
      first = layouts_.at(layout->name).first;
      count = layouts_.at(layout->name).second;
    }
    const bool versioned = layout && !layout->fields.empty() && layout->fields.front().name == "version";
    arguments_ +=
        fmt::format("    {{{}, Kind::{}, Role::{}, {}, {}, {}, {}, {}, {}}},  // {}.{}\n", texts_.at(p.name), kind(p),
                    role(semantics.role), p.ptr, size(p), first, count, semantics.size, versioned, function, p.name);
    ++argument_count_;
  }

  void add_members(const std::vector<Field>& fields, const std::string& prefix, std::size_t base) {
    for (const auto& field : fields) {
      const auto name = field.name.empty() ? prefix : prefix + field.name;
      const auto* nested = facts_.structure(field.type);
      const auto& inner = nested ? nested->fields : field.fields;
      const bool is_union = nested ? nested->is_union : field.type == "union{}";
      if (!inner.empty()) {
        if (!field.dims.empty()) continue;  // lists of structs are too long for a line
        const std::vector<Field> shown = is_union ? std::vector<Field>{inner.front()} : inner;
        add_members(shown, field.name.empty() ? prefix : name + ".", base + field.offset);
        continue;
      }
      std::size_t items = 1;
      for (const auto dim : field.dims) items *= static_cast<std::size_t>(dim);
      const char* what = field.type == "char" && items > 1                                      ? "text"
                         : field.type.find('*') != std::string::npos                            ? "pointer"
                         : facts_.is_handle(field.type)                                         ? "pointer"
                         : field.type == "double"                                               ? "real"
                         : field.type.starts_with("unsigned") || field.type.starts_with("nvml") ? "natural"
                                                                                                : "integer";
      members_ += fmt::format("    {{{}, Kind::{}, {}, {}, {}}},\n", texts_.at(name), what, base + field.offset,
                              field.size / items, items);
      ++member_count_;
    }
  }

  const char* kind(const Param& p) const {
    if (p.kind == Kind::structure) return "structure";
    if (p.kind == Kind::handle) return p.base == "nvmlDevice_t" ? "device" : "pointer";
    if (p.kind == Kind::character) return "text";
    if (p.kind == Kind::enumeration) return "integer";
    if (p.base == "void") return "pointer";
    const auto* type = facts_.type_definition(p.base);
    const auto& spelled = type ? type->type : p.base;
    return spelled.find("unsigned") != std::string::npos ? "natural" : "integer";
  }

  std::size_t size(const Param& p) const {
    if (p.kind == Kind::handle) return 8;
    if (p.kind == Kind::enumeration) return 4;
    if (p.kind != Kind::integer) return 0;
    const auto* type = facts_.type_definition(p.base);
    const auto& spelled = type ? type->type : p.base;
    return spelled.find("long") != std::string::npos ? 8 : spelled.find("char") != std::string::npos ? 1 : 4;
  }

  static const char* role(Role role) {
    switch (role) {
      case Role::self:
        return "self";
      case Role::in:
        return "in";
      case Role::out:
        return "out";
      case Role::array:
        return "array";
      default:
        return "inout";
    }
  }

  const Registry& registry_;
  const Facts& facts_;
  Texts texts_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> layouts_;  // first member and how many
  std::string members_, arguments_, functions_;
  std::size_t member_count_ = 0, argument_count_ = 0;
};

}  // namespace

std::string emit_call_arguments(const Registry& registry) {
  Tables tables(registry);
  for (const auto& function : registry.facts.functions) tables.add(function);
  std::string out = kBanner;
  out +=
      "// What the arguments of every function are, in the order of sim::Symbol.\n#include "
      "\"driver/nvml/call/arguments.hpp\"\n\n";
  out += "namespace nvmlkit::driver {\nnamespace {\n\nusing Kind = ArgumentKind;\nusing Role = ArgumentRole;\n\n";
  out += tables.text();
  out +=
      "\n}  // namespace\n\nstd::span<const ArgumentInfo> arguments_of(sim::Symbol symbol) {\n"
      "  const auto& call = calls[static_cast<std::size_t>(symbol)];\n  return {arguments + call.first, "
      "call.count};\n}\n\n"
      "std::span<const MemberInfo> members_of(const ArgumentInfo& argument) {\n"
      "  return {members + argument.first_member, argument.member_count};\n}\n\n"
      "const char* text_at(std::uint32_t offset) { return texts + offset; }\n\n}  // namespace nvmlkit::driver\n";
  return out;
}

}  // namespace nvmlgen
