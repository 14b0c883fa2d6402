#include "emit/driver/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "emit/model/emitters.hpp"

namespace nvmlgen {

std::string declare(const Param& param) {
  std::string type = param.type;
  type.erase(std::remove(type.begin(), type.end(), '*'), type.end());
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return fmt::format("{}{} {}", type, std::string(static_cast<std::size_t>(param.ptr), '*'), param.name);
}

std::string parameter_list(const Function& function, const FunctionSemantics& entry, bool without_self) {
  std::vector<std::string> out;
  for (const auto& p : function.params) {
    const auto* semantics = entry.find(p.name);
    if (without_self && semantics && semantics->role == Role::self) continue;
    out.push_back(declare(p));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string argument_list(const Function& function, const FunctionSemantics& entry, bool without_self) {
  std::vector<std::string> names;
  for (const auto& p : function.params)
    if (!without_self || entry.find(p.name)->role != Role::self) names.push_back(p.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string model_expression(const std::string& path) {
  std::string out;
  std::istringstream segments(path);
  for (std::string segment; std::getline(segments, segment, '.');) {
    if (out.empty()) {
      out = segment == "gpu" ? "gpu->" : "machine->" + segment + "().";
      continue;
    }
    ModelField field;
    field.name = segment;
    out += cpp_member(field) + '.';
  }
  out.pop_back();
  return out;
}

SelfKind self_kind(const Function& function, const FunctionSemantics& entry) {
  const auto* self = entry.self();
  if (!self) return SelfKind::none;
  const auto* param = function.find(self->name);
  return param && param->base == "nvmlDevice_t" ? SelfKind::device : SelfKind::foreign;
}

std::vector<std::pair<std::string, std::int64_t>> real_values(const Enum& enumeration) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  std::set<std::int64_t> seen;
  for (const auto& [name, value] : enumeration.values) {
    if (!counts_values(enumeration, name, value) && seen.insert(value).second) out.emplace_back(name, value);
  }
  return out;
}

std::vector<std::string> required_pointers(const Function& function, const FunctionSemantics& entry) {
  std::vector<std::string> out;
  for (const auto& p : function.params) {
    const auto* semantics = entry.find(p.name);
    if (p.ptr > 0 && !semantics->optional) out.push_back(p.name);
  }
  return out;
}

}  // namespace nvmlgen
