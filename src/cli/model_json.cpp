#include "cli/model_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/command_error.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"
#include "sim/problem/problem.hpp"
#include "sim/text/paths.hpp"

namespace nvmlkit::cli {
namespace {

using sim::quote;
using sim::model::FieldDescriptor;
using sim::model::Gpu;
using sim::model::Member;
using sim::model::StructDescriptor;
using sim::model::Type;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Json json_of(const StructDescriptor& type, std::byte* structure);

Json json_of_value(const FieldDescriptor& field, std::byte* at) {
  switch (field.type) {
    case Type::boolean:
      return load<bool>(at);
    case Type::u32:
    case Type::hex32:
      return load<std::uint32_t>(at);
    case Type::u64:
    case Type::hex64:
      return load<std::uint64_t>(at);
    case Type::i32:
      return load<std::int32_t>(at);
    case Type::i64:
      return load<std::int64_t>(at);
    case Type::f64:
      return load<double>(at);
    case Type::string:
    case Type::uuid:
      return std::string(sim::model::load_text(at, field.capacity));
    case Type::pci_bus_id: {
      char buffer[24];
      return std::string(sim::model::format_pci_bus_id(load<sim::model::PciBusId>(at), 8, buffer));
    }
    case Type::enumeration: {
      const auto value = load<std::uint32_t>(at);
      for (const auto& word : field.words())
        if (word.value == value) return std::string(word.word());
      return value;
    }
    case Type::structure:
      return json_of(field.nested(), at);
    case Type::native:
      break;
  }
  return nullptr;
}

Json json_of(const FieldDescriptor& field, std::byte* structure) {
  const Member member(field, structure);
  if (field.list) {
    auto out = Json::array();
    for (std::uint32_t i = 0; i < std::min(member.count(), field.max_items); ++i)
      out.push_back(json_of_value(field, member.item(i)));
    return out;
  }
  if (field.type != Type::structure && !member.present()) return nullptr;
  return json_of_value(field, member.data());
}

Json json_of(const StructDescriptor& type, std::byte* structure) {
  auto out = Json::object();
  for (const auto& field : type.fields())
    if (!field.reader) out[std::string(field.name())] = json_of(field, structure);
  return out;
}

}  // namespace

Json value_at(Gpu& gpu, const std::string& path) {
  const auto* type = &sim::model::descriptor<Gpu>();
  auto* structure = reinterpret_cast<std::byte*>(&gpu);
  if (path.empty()) return json_of(*type, structure);
  const auto names = sim::text::names_of(path);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* field = type->find(names[i]);
    if (field == nullptr || field->reader) {
      std::vector<std::string_view> known;
      for (const auto& f : type->fields())
        if (!f.reader) known.push_back(f.name());
      auto problem = sim::unknown_name("name", names[i], known).of_field(quote(path));
      problem.naming = sim::Naming::after;
      throw CommandError(std::move(problem));
    }
    if (i + 1 == names.size()) return json_of(*field, structure);
    if (field->list || field->type != Type::structure)
      throw CommandError({.kind = sim::ProblemKind::unknown_name,
                          .what = fmt::format("{} has no parts, so there is no {}", quote(names[i]), quote(path))});
    structure = Member(*field, structure).data();
    type = &field->nested();
  }
  return nullptr;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "N/A";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print(const std::string& prefix, const std::string& path, const Json& value) {
  if (!value.is_object()) {
    fmt::print("{}{}={}\n", prefix, path, text_of(value));
    return;
  }
  for (const auto& [name, part] : value.items()) print(prefix, path.empty() ? name : path + "." + name, part);
}

}  // namespace nvmlkit::cli
