#include <fmt/format.h>

#include <map>
#include <regex>

#include "emit/capture/emitters.hpp"
#include "emit/driver/text.hpp"
#include "emit/text/banner.hpp"

namespace nvmlgen {
namespace {

struct ShapeText {
  std::string form;
  std::size_t size = 0;
  int layout = -1;

  std::string text() const { return fmt::format("{{Form::{}, {}, {}}}", form, size, layout); }
};

class QuestionTables {
 public:
  explicit QuestionTables(const Registry& registry) : registry_(registry), facts_(registry.facts) {}

  void add(const Function& function, std::size_t symbol, const std::vector<Choice>& choices) {
    const auto& entry = registry_.semantics.functions.at(function.name);
    std::string shapes, choice_rows, versions;
    int self = -1;
    const Param* versioned = nullptr;
    for (const auto& p : function.params) {
      const auto index = static_cast<int>(&p - function.params.data());
      const auto& semantics = *entry.find(p.name);
      if (semantics.role == Role::self) self = index;
      auto shape = shape_of(p);
      if (semantics.size) shape.size = semantics.size;
      if (semantics.role == Role::array && semantics.length.empty() && p.kind == Kind::character)
        shape.size = static_cast<std::size_t>(facts_.value(semantics.capacity).value_or(1));
      shapes += (shapes.empty() ? "" : ", ") + shape.text();
      if (!versioned && !entry.versions.empty() && p.kind == Kind::structure) versioned = &p;
    }
    for (const auto& choice : choices)
      choice_rows += (choice_rows.empty() ? "" : ", ") + this->choice(function, choice);
    for (const auto& macro : entry.versions) {
      const auto known = facts_.struct_versions.find(macro);
      const auto* layout = known != facts_.struct_versions.end() ? facts_.structure(known->second.structure)
                           : versioned                           ? facts_.structure(versioned->base)
                                                                 : nullptr;
      versions += fmt::format("{}{{0x{:08x}u, {}}}", versions.empty() ? "" : ", ", *facts_.version_tag(macro),
                              layout ? this->layout(*layout) : -1);
    }
    const auto id = questions_++;
    if (!shapes.empty()) data_ += fmt::format("constexpr Shape shapes_{}[] = {{{}}};\n", id, shapes);
    if (!choice_rows.empty()) data_ += fmt::format("constexpr Choice choices_{}[] = {{{}}};\n", id, choice_rows);
    if (!versions.empty()) data_ += fmt::format("constexpr Version versions_{}[] = {{{}}};\n", id, versions);
    const auto part = [&](const std::string& rows, const char* name) {
      return rows.empty() ? std::string("{}") : fmt::format("{}_{}", name, id);
    };
    rows_ +=
        fmt::format("    {{{}, Subject::{}, {}, {}, {}, {}}},  // {}\n", symbol, subject(function, self), self,
                    part(shapes, "shapes"), part(choice_rows, "choices"), part(versions, "versions"), function.name);
  }

  std::string text() const {
    return fmt::format(R"({}// What can be asked of a driver, from registry/semantics/.
#include "capture/question.hpp"

namespace nvmlkit::capture {{
namespace {{

{}
constexpr Layout all_layouts[] = {{
{}}};

{}{}
constexpr Question all_questions[] = {{
{}}};

// Field ids by the numbers of nvmlkit::nvml::FieldId, with how many scopes there are to ask.
constexpr FieldQuestion all_field_questions[] = {{
{}}};

}}  // namespace

std::span<const FieldQuestion> field_questions() {{ return all_field_questions; }}
std::span<const Question> questions() {{ return all_questions; }}
std::span<const Layout> layouts() {{ return all_layouts; }}

}}  // namespace nvmlkit::capture
)",
                       kBanner, members_, layout_rows_, numbers_, data_, rows_, field_rows());
  }

 private:
  std::string field_rows() const {
    std::string rows;
    for (const auto& id : registry_.field_ids.ids) {
      const auto number = registry_.errata.fields.find(id.name);
      if (number == registry_.errata.fields.end()) continue;
      rows += fmt::format("    {{{}, \"{}\", {}}},\n", number->second, id.name, scopes_of(id));
    }
    return rows;
  }

  // Links, power scopes, profiles.
  static int scopes_of(const FieldId& id) {
    static const std::regex of_one_link("_L[0-9]+$|_(TOTAL|COMMON|LINK_COUNT)$");
    if (id.code == "nvlink_field") return std::regex_search(id.name, of_one_link) ? 1 : 18;
    if (id.code == "power_smoothing_parameter") return 5;
    if (id.scopes.contains("gpu_base")) return 4;
    return id.scopes.size() > 1 || (id.scopes.size() == 1 && !id.scopes.begin()->first.empty()) ? 3 : 1;
  }

  // A type as the facts spell it.
  ShapeText shape_of(const std::string& type) {
    if (type.find('*') != std::string::npos) {
      auto base = type.substr(0, type.find('*'));
      while (base.ends_with(' ')) base.pop_back();
      if (base == "char") return {"pointer", 8, -1};
      return {"pointer", 8, pointee(base)};
    }
    if (facts_.is_handle(type)) return {"handle", 8, -1};
    if (facts_.enumeration(type)) return {"integer", 4, -1};
    if (const auto* s = facts_.structure(type))
      return s->is_union ? ShapeText{"bytes", s->size, -1} : ShapeText{"structure", s->size, layout(*s)};
    const auto* other = facts_.type_definition(type);
    const std::string& spelled = other ? other->type : type;
    if (spelled == "double") return {"real", 8, -1};
    if (spelled == "char") return {"text", 1, -1};
    const std::size_t size = spelled.find("long") != std::string::npos    ? 8
                             : spelled.find("short") != std::string::npos ? 2
                             : spelled.find("char") != std::string::npos  ? 1
                                                                          : 4;
    return {spelled.find("unsigned") != std::string::npos ? "natural" : "integer", size, -1};
  }

  // What stands behind a pointer argument, or is passed by value.
  ShapeText shape_of(const Param& p) {
    if (p.kind == Kind::character) return {"text", 1, -1};
    if (p.kind == Kind::handle) return {"handle", 8, -1};
    if (p.base == "void") return {"pointer", 8, -1};
    return shape_of(p.base);
  }

  // The layout of what a pointer in a struct points to; of a scalar a layout with one nameless member.
  int pointee(const std::string& base) {
    if (const auto* s = facts_.structure(base)) return layout(*s);
    const auto shape = shape_of(base);
    const auto [at, fresh] = known_.try_emplace("*" + base, 0);
    if (fresh) at->second = add_layout(base, shape.size, fmt::format("    {{\"\", {}, 0, 0, -1}},\n", shape.text()));
    return at->second;
  }

  int layout(const Struct& s) {
    if (const auto at = known_.find(s.name); at != known_.end()) return at->second;
    const auto* value = registry_.semantics.values.of(s.name);
    const auto rows = members(s.fields, s.name, value);
    const int id = add_layout(s.name, s.size, rows);
    known_[s.name] = id;
    return id;
  }

  int add_layout(const std::string& name, std::size_t size, const std::string& rows) {
    members_ += fmt::format("constexpr Member members_{}[] = {{  // {}\n{}}};\n", layouts_, name, rows);
    layout_rows_ += fmt::format("    {{\"{}\", {}, members_{}}},\n", name, size, layouts_);
    return layouts_++;
  }

  std::string members(const std::vector<Field>& fields, const std::string& owner, const ValueType* value) {
    std::string out;
    for (const auto& f : fields) {
      std::size_t count = 1;
      for (const auto dim : f.dims) count *= static_cast<std::size_t>(dim);
      ShapeText shape;
      if (f.type == "struct{}") {
        const auto name = owner + "." + f.name;
        shape = {"structure", f.size / count, add_layout(name, f.size / count, members(f.fields, name, nullptr))};
      } else if (f.type == "union{}") {
        shape = {"bytes", f.size, -1};
      } else {
        shape = shape_of(f.type);
      }
      bool array = !f.dims.empty();
      // Texts and long rows of bytes are one value.
      if (array && (shape.form == "text" || (shape.size == 1 && count >= 16))) {
        shape = {shape.form == "text" ? "text" : "bytes", f.size, -1};
        array = false;
      }
      out += fmt::format("    {{\"{}\", {}, {}, {}, {}}},\n", f.name, shape.text(), f.offset, array ? count : 0,
                         counted_by(f, fields, value));
    }
    return out;
  }

  static int counted_by(const Field& f, const std::vector<Field>& fields, const ValueType* value) {
    if (!value || f.type.find('*') == std::string::npos) return -1;
    for (const auto& described : value->fields)
      if (described.fact && described.fact->name == f.name)
        for (const auto& count : fields)
          if (count.name == described.count) return static_cast<int>(count.offset);
    return -1;
  }

  std::string choice(const Function& function, const Choice& choice) {
    const auto dot = choice.argument.find('.');
    const auto* p = function.find(choice.argument.substr(0, dot));
    std::size_t offset = 0, size = 0;
    if (dot != std::string::npos)
      for (const auto& f : facts_.structure(p->base)->fields)
        if (f.name == choice.argument.substr(dot + 1)) offset = f.offset, size = f.size;
    static constexpr const char* kKinds[] = {"numbers", "each", "below", "gpus"};
    return fmt::format("{{{}, {}, {}, Choice::Kind::{}, {}, \"{}\"}}", p - function.params.data(), offset, size,
                       kKinds[static_cast<int>(choice.kind)], numbers(choice), choice.from);
  }

  std::string numbers(const Choice& choice) {
    if (choice.numbers.empty()) return "{}";
    std::string rows;
    for (const auto& [name, value] : choice.numbers)
      rows += fmt::format("{}{{\"{}\", {}}}", rows.empty() ? "" : ", ", name, value);
    const auto [at, fresh] = known_numbers_.try_emplace(rows, known_numbers_.size());
    if (fresh) numbers_ += fmt::format("constexpr Constant numbers_{}[] = {{{}}};\n", at->second, rows);
    return fmt::format("numbers_{}", at->second);
  }

  static const char* subject(const Function& function, int self) {
    if (self < 0) return "machine";
    const auto& base = function.params[static_cast<std::size_t>(self)].base;
    return base == "nvmlDevice_t"            ? "device"
           : base == "nvmlUnit_t"            ? "unit"
           : base == "nvmlGpuInstance_t"     ? "gpu_instance"
           : base == "nvmlComputeInstance_t" ? "compute_instance"
           : base == "nvmlVgpuTypeId_t"      ? "vgpu_type"
                                             : "vgpu";
  }

  const Registry& registry_;
  const Facts& facts_;
  std::map<std::string, int> known_;
  std::map<std::string, std::size_t> known_numbers_;
  std::string members_, layout_rows_, numbers_, data_, rows_;
  int layouts_ = 0, questions_ = 0;
};

}  // namespace

std::string emit_questions(const Registry& registry) {
  QuestionTables tables(registry);
  for (std::size_t i = 0; i < registry.facts.functions.size(); ++i) {
    const auto& function = registry.facts.functions[i];
    const auto asked = registry.questions.all.find(function.name);
    if (asked != registry.questions.all.end()) tables.add(function, i, asked->second);
  }
  return tables.text();
}

}  // namespace nvmlgen
