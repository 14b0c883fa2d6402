#include "registry/pointers.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "registry/yaml_file.hpp"

namespace nvmlgen {
namespace {

// A member by its path, as "metricInfo.unit"; its offset is from the start of `fields`.
std::optional<Field> member(const std::vector<Field>& fields, const std::string& path) {
  const auto dot = path.find('.');
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == path.substr(0, dot); });
  if (found == fields.end()) return std::nullopt;
  if (dot == std::string::npos) return *found;
  auto below = member(found->fields, path.substr(dot + 1));
  if (below) below->offset += found->offset;
  return below;
}

// Reads the entry of one struct.
class PointerReader {
 public:
  PointerReader(const Facts& facts, const Struct& structure) : facts_(facts), structure_(structure) {}

  FollowedStruct read(const YAML::Node& entry) {
    FollowedStruct out;
    out.name = structure_.name;
    for (const auto& item : entry) {
      const auto key = item.first.as<std::string>();
      if (key == "unfollowed")
        out.unfollowed = item.second.as<std::string>();
      else if (key == "asks")
        out.elements.offset = end_of(item.second, structure_);
      else if (key == "elements")
        out.elements = read_elements(item.second);
      else if (key == "pointers")
        for (const auto& pointer : item.second) out.pointers.push_back(read_pointer(pointer.first, pointer.second));
      else
        fail(item.first, "unknown: " + key);
    }
    const bool pointers = holds_pointers(facts_, structure_.fields);
    if (pointers == (out.unfollowed.empty() && out.pointers.empty())) fail(entry, "pointers are missing, or are none");
    return out;
  }

 private:
  static Field need(const std::vector<Field>& fields, const YAML::Node& node, const std::string& path) {
    if (auto found = member(fields, path)) return *found;
    fail(node, "there is no member " + path);
  }

  Field need(const YAML::Node& node, const std::string& path) const { return need(structure_.fields, node, path); }

  long offset_of_number(const YAML::Node& node) const {
    const auto field = need(node, node.as<std::string>());
    if (field.size != 4) fail(node, "a number of elements has 4 bytes");
    return static_cast<long>(field.offset);
  }

  // The struct of an array's elements.
  const Struct& element_of(const YAML::Node& node, const Field& array) const {
    const auto* element = facts_.structure(array.type);
    if (!element || array.dims.size() != 1) fail(node, array.name + " is no array of structs");
    return *element;
  }

  // How many bytes from the start of a struct to the end of a member.
  static std::size_t end_of(const YAML::Node& node, const Struct& structure) {
    const auto field = need(structure.fields, node, node.as<std::string>());
    return field.offset + field.size;
  }

  Elements read_elements(const YAML::Node& node) const {
    const auto array = need(node["array"], node["array"].as<std::string>());
    const auto& element = element_of(node["array"], array);
    return {array.offset, element.size, end_of(node["asks"], element), offset_of_number(node["number"])};
  }

  // Bytes of what a pointer leads to.
  std::size_t pointee_size(const YAML::Node& node, const std::string& type) const {
    const auto name = type.substr(0, type.find_last_not_of("* ") + 1);
    if (const auto* structure = facts_.structure(name)) {
      if (holds_pointers(facts_, structure->fields)) fail(node, name + " holds pointers too");
      return structure->size;
    }
    if (name.find("char") != std::string::npos || name == "void") return 1;
    return name.find("long") != std::string::npos ? 8 : 4;
  }

  PointerField read_pointer(const YAML::Node& key, const YAML::Node& value) const {
    PointerField out;
    const auto path = key.as<std::string>();
    Field pointer;
    if (value["each"]) {
      const auto array = need(value["each"], value["each"].as<std::string>());
      const auto& element = element_of(value["each"], array);
      pointer = need(element.fields, key, path);
      pointer.offset += array.offset;
      out.stride = element.size;
      out.each = offset_of_number(value["number"]);
    } else {
      pointer = need(key, path);
    }
    if (pointer.type.find('*') == std::string::npos) fail(key, path + " is no pointer");
    out.offset = pointer.offset;
    if (value["text"]) {
      out.kind = "text_" + value["text"].as<std::string>();
      if (out.kind != "text_in" && out.kind != "text_out") fail(value["text"], "a text is in or out");
      return out;
    }
    out.kind = "array";
    out.count = offset_of_number(value["count"]);
    out.size = pointee_size(key, pointer.type);
    if (value["asks"])
      out.asks = end_of(value["asks"], *facts_.structure(pointer.type.substr(0, pointer.type.find(' '))));
    return out;
  }

  const Facts& facts_;
  const Struct& structure_;
};

constexpr const char* kKinds[] = {"value", "handle", "text",     "input",       "output",
                                  "inout", "array",  "text_out", "keyed_array", "address"};

SlotArgument read_argument(const YAML::Node& key, const YAML::Node& value, const YAML::Node& all) {
  SlotArgument out;
  out.name = key.as<std::string>();
  std::istringstream words(value.as<std::string>());
  std::string size, length;
  words >> out.kind >> size >> length;
  if (std::find(std::begin(kKinds), std::end(kKinds), out.kind) == std::end(kKinds))
    fail(value, "unknown: " + out.kind);
  if (!size.empty()) out.size = std::stoul(size);
  const bool sized = out.kind == "input" || out.kind == "output" || out.kind == "inout" || out.kind == "array" ||
                     out.kind == "text_out" || out.kind == "keyed_array";
  if (sized && out.size == 0) fail(value, "the bytes are missing");
  if (length.empty()) return out;
  int at = 0;
  for (const auto& other : all) {
    if (other.first.as<std::string>() == length) out.length = at;
    ++at;
  }
  if (out.length < 0) fail(value, "there is no argument " + length);
  return out;
}

PrivateTable read_table(const std::string& name, const YAML::Node& node) {
  PrivateTable out;
  out.name = name;
  const auto id = node["id"].as<std::string>();
  if (id.size() != 32) fail(node["id"], "an id has 16 bytes");
  for (std::size_t i = 0; i < id.size(); i += 2)
    out.id.push_back(static_cast<unsigned>(std::stoul(id.substr(i, 2), nullptr, 16)));
  for (const auto& item : node["slots"]) {
    auto& slot = out.slots.emplace_back();
    slot.number = item.first.as<unsigned>();
    if (out.slots.size() > 1 && out.slots[out.slots.size() - 2].number >= slot.number)
      fail(item.first, "the slots are not in order");
    for (const auto& argument : item.second)
      slot.arguments.push_back(read_argument(argument.first, argument.second, item.second));
  }
  return out;
}

}  // namespace

bool holds_pointers(const Facts& facts, const std::vector<Field>& fields) {
  for (const auto& field : fields) {
    if (field.type.find('*') != std::string::npos || holds_pointers(facts, field.fields)) return true;
    if (const auto* s = facts.structure(field.type); s && holds_pointers(facts, s->fields)) return true;
  }
  return false;
}

std::vector<FollowedStruct> load_followed(const std::filesystem::path& file, const Facts& facts) {
  std::vector<FollowedStruct> out;
  read_yaml(file, [&](const YAML::Node& root) {
    for (const auto& item : root) {
      const auto* structure = facts.structure(item.first.as<std::string>());
      if (!structure) fail(item.first, "there is no struct " + item.first.as<std::string>());
      out.push_back(PointerReader(facts, *structure).read(item.second));
    }
  });
  for (const auto& function : facts.functions)
    for (const auto& parameter : function.params) {
      const auto* structure = parameter.ptr > 0 ? facts.structure(parameter.base) : nullptr;
      if (!structure || !holds_pointers(facts, structure->fields)) continue;
      const bool known = std::any_of(out.begin(), out.end(),
                                     [&](const FollowedStruct& entry) { return entry.name == structure->name; });
      if (!known) throw RegistryError(file.string(), structure->name + " of " + function.name + " holds pointers");
    }
  return out;
}

std::vector<PrivateTable> load_private_tables(const std::filesystem::path& file) {
  std::vector<PrivateTable> out;
  read_yaml(file, [&](const YAML::Node& root) {
    for (const auto& item : root) out.push_back(read_table(item.first.as<std::string>(), item.second));
  });
  return out;
}

}  // namespace nvmlgen
