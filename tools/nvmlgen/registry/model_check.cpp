#include "registry/model_check.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

[[noreturn]] void refuse(const ModelField& field, const std::string& what) {
  throw RegistryError(field.where, "field '" + field.name + "': " + what);
}

bool is_snake_case(const std::string& name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_integer(ModelType type) {
  switch (type) {
    case ModelType::u32:
    case ModelType::u64:
    case ModelType::i32:
    case ModelType::i64:
    case ModelType::hex32:
    case ModelType::hex64:
      return true;
    default:
      return false;
  }
}

ModelRange limits_of(ModelType type) {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
  switch (type) {
    case ModelType::u32:
    case ModelType::hex32:
      return {0, std::numeric_limits<std::uint32_t>::max()};
    case ModelType::i32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case ModelType::u64:
    case ModelType::hex64:
      return {0, kHighest};
    default:
      return {kLowest, kHighest};
  }
}

void check_default(const Model& model, const ModelField& field) {
  const std::string& text = *field.default_text;
  if (field.list != (text == "[]"))
    refuse(field, field.list ? "a list's default can only be []" : "[] is no default for it");
  if (field.list) return;
  if (is_integer(field.type)) {
    const auto number = parse_integer(text);
    const auto limits = field.range.value_or(limits_of(field.type));
    if (!number || *number < limits.min || *number > limits.max)
      refuse(field, "default '" + text + "' is out of range");
  } else if (field.type == ModelType::boolean) {
    if (text != "true" && text != "false") refuse(field, "default '" + text + "' is neither true nor false");
  } else if (field.type == ModelType::enumeration) {
    if (!model.enumeration(field.reference)->find(text))
      refuse(field, "default '" + text + "' is no word of " + field.reference);
  } else if (field.type == ModelType::string) {
    if (text.size() >= field.capacity) refuse(field, "the default is too long");
    if (!field.words.empty() && std::find(field.words.begin(), field.words.end(), text) == field.words.end())
      refuse(field, "default '" + text + "' is none of its words");
  } else {
    refuse(field, "a default is not possible for its type");
  }
}

void check_field(Model& model, ModelField& field) {
  if (!is_snake_case(field.name)) refuse(field, "the name is not snake_case");
  if (field.doc.empty()) refuse(field, "doc is missing");
  if (field.list && field.type == ModelType::structure && model.enumeration(field.reference))
    field.type = ModelType::enumeration;
  if (field.type == ModelType::enumeration && !model.enumeration(field.reference))
    refuse(field, "there is no enum '" + field.reference + "'");
  if (field.is_struct() && !model.structure(field.reference))
    refuse(field, "there is no struct '" + field.reference + "'");
  if (field.list != (field.max_items > 0)) refuse(field, field.list ? "a list needs max" : "max is for lists");
  if (field.type == ModelType::string ? field.capacity < 2 : field.capacity > 0 && field.type != ModelType::uuid)
    refuse(field, field.type == ModelType::string ? "a string needs size" : "size is for strings");
  if (!field.words.empty() && field.type != ModelType::string) refuse(field, "words are for strings");
  for (const auto& word : field.words)
    if (word.size() >= field.capacity) refuse(field, "word '" + word + "' is longer than size");
  if (field.range && !is_integer(field.type) && field.type != ModelType::f64) refuse(field, "range is for numbers");
  if (field.range && is_integer(field.type)) {
    const auto limits = limits_of(field.type);
    if (field.range->min < limits.min || field.range->max > limits.max) refuse(field, "the range exceeds the type");
  }
  if (field.quoted && !is_integer(field.type)) refuse(field, "quoted is for whole numbers");
  if (field.is_native() == field.include.empty())
    refuse(field, field.is_native() ? "native needs include" : "include is for native");
  if (field.is_native() && (field.default_text || field.handled_by_reader || field.visibility != Visibility::shown))
    refuse(field, "native takes no default, handled, later or inert");
  if (field.motion != Motion::still && (field.list || field.is_struct() || field.is_native() || field.is_text() ||
                                        field.type == ModelType::pci_bus_id || field.visibility != Visibility::shown))
    refuse(field, "live is for numbers that functions show");
  if (field.identity != Identity::none && (field.list || field.is_struct() || field.is_native()))
    refuse(field, "identity is for scalars");
  if (field.required && (field.default_text || field.list || field.is_struct()))
    refuse(field, "required is for scalars without default");
  if (field.list && !field.default_text) refuse(field, "a list needs default: []");
  if (field.is_struct() && !field.list && (field.default_text || field.visibility != Visibility::shown))
    refuse(field, "default, later and inert belong to the fields of a struct, not to the struct");
  if (field.default_text) check_default(model, field);
}

template <class Named>
void check_unique(const std::vector<Named>& all, const char* what) {
  std::map<std::string, std::string> seen;
  for (const auto& x : all)
    if (const auto [it, fresh] = seen.emplace(x.name, x.where); !fresh)
      throw RegistryError(x.where,
                          std::string("duplicate ") + what + " '" + x.name + "'; the first is at " + it->second);
}

class Order {
 public:
  explicit Order(const Model& model) : model_(model) {}

  void visit(const ModelStruct& s) {
    if (done_.count(s.name)) return;
    if (!open_.insert(s.name).second) throw RegistryError(s.where, "struct '" + s.name + "' contains itself");
    for (const auto& field : s.fields)
      if (field.is_struct()) visit(*model_.structure(field.reference));
    open_.erase(s.name);
    done_.insert(s.name);
    sorted.push_back(s);
  }

  std::vector<ModelStruct> sorted;

 private:
  const Model& model_;
  std::set<std::string> open_, done_;
};

}  // namespace

std::optional<std::int64_t> parse_integer(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(begin + 2, end, value, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void check_and_order(Model& model) {
  check_unique(model.enums, "enum");
  check_unique(model.structs, "struct");
  for (const auto& e : model.enums)
    if (model.structure(e.name)) throw RegistryError(e.where, "'" + e.name + "' is a struct as well");
  for (auto& s : model.structs) {
    if (s.doc.empty()) throw RegistryError(s.where, "struct '" + s.name + "' has no doc");
    if (s.fields.empty()) throw RegistryError(s.where, "struct '" + s.name + "' has no fields");
    check_unique(s.fields, "field");
    for (auto& field : s.fields) check_field(model, field);
  }
  for (const char* root : {"Machine", "Gpu", "System"})
    if (!model.structure(root)) throw RegistryError("registry/model", std::string("there is no struct '") + root + "'");
  Order order(model);
  order.visit(*model.structure("Machine"));
  if (order.sorted.size() != model.structs.size())
    for (const auto& s : model.structs)
      if (std::none_of(order.sorted.begin(), order.sorted.end(), [&](const auto& o) { return o.name == s.name; }))
        throw RegistryError(s.where, "nothing contains struct '" + s.name + "'");
  model.structs = std::move(order.sorted);
  std::set<const ModelField*> moved;
  for (const auto& leaf : model.live())
    if (leaf.path.find("[]") != std::string::npos || !moved.insert(leaf.field).second)
      refuse(*leaf.field, "a live field stands in one place of a GPU, and in no list");
  for (const auto& s : model.structs)
    for (const auto& field : s.fields)
      if (field.motion != Motion::still && !moved.count(&field)) refuse(field, "live is for fields of a GPU");
  std::set<std::string> used;
  for (const auto& s : model.structs)
    for (const auto& field : s.fields) used.insert(field.reference);
  for (const auto& e : model.enums)
    if (used.count(e.name) == (e.code.empty() ? 0U : 1U))
      throw RegistryError(e.where, e.code.empty() ? "no field is of enum '" + e.name + "'"
                                                  : "a field is of enum '" + e.name + "', which needs no code");
}

}  // namespace nvmlgen
