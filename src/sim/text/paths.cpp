#include "sim/text/paths.hpp"

#include "sim/generated/model_descriptors.hpp"

namespace nvmlkit::sim::text {

std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (true) {
    const auto dot = path.find('.');
    out.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    path.remove_prefix(dot + 1);
  }
}

Located find_field(const model::StructDescriptor& root, std::string_view path, const std::byte* structure) {
  const model::StructDescriptor* type = &root;
  while (true) {
    const auto dot = path.find('.');
    const auto* field = type->find(path.substr(0, dot));
    if (field == nullptr || dot == std::string_view::npos) return {field, structure};
    if (field->list || field->type != model::Type::structure) return {};
    if (structure != nullptr) structure += field->offset;
    type = &field->nested();
    path.remove_prefix(dot + 1);
  }
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
