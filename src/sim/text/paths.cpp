#include "sim/text/paths.hpp"

#include "sim/generated/model_descriptors.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::sim::text {
namespace {

using model::FieldDescriptor;
using model::StructDescriptor;

// One name of a path on the way down.
struct Step {
  const StructDescriptor* type;
  std::string_view name;
  const FieldDescriptor* field = nullptr;  // null: the struct has no field of the name
  bool last = false;
  const std::byte* structure = nullptr;

  bool leads_on() const { return field != nullptr && !field->list && field->type == model::Type::structure; }
};

// The step that ends the way: the last name, or the first that leads nowhere.
Step last_step(const StructDescriptor& root, std::string_view path, const std::byte* structure) {
  const StructDescriptor* type = &root;
  while (true) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    const Step step{type, name, type->find(name), dot == std::string_view::npos, structure};
    if (step.last || !step.leads_on()) return step;
    if (structure != nullptr) structure += step.field->offset;
    type = &step.field->nested();
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (true) {
    const auto dot = path.find('.');
    out.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    path.remove_prefix(dot + 1);
  }
}

Located find_field(const StructDescriptor& root, std::string_view path, const std::byte* structure) {
  const auto step = last_step(root, path, structure);
  return step.last ? Located{step.field, step.structure} : Located{};
}

Expected<Located> locate(const StructDescriptor& root, std::string_view path, const std::byte* structure) {
  const auto step = last_step(root, path, structure);
  if (step.field == nullptr || step.field->reader) {
    std::vector<std::string_view> known;
    for (const auto& field : step.type->fields())
      if (!field.reader) known.push_back(field.name());
    auto problem = unknown_name("name", step.name, known).of_field(quote(path));
    problem.naming = Naming::after;
    return fail(std::move(problem));
  }
  if (!step.last)
    return fail(
        {.kind = ProblemKind::unknown_name, .what = quote(step.name) + " has no parts, so there is no " + quote(path)});
  return Located{step.field, step.structure};
}

std::string mapping_of(std::string_view path, std::string_view yaml) {
  std::string out, indent;
  for (const auto name : names_of(path)) {
    if (!out.empty()) out += '\n';
    out.append(indent).append(name).append(":");
    indent += "  ";
  }
  return out.append(" ").append(yaml).append("\n");
}

}  // namespace nvmlkit::sim::text
