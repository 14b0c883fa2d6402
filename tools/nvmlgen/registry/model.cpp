#include "registry/model.hpp"

#include <algorithm>
#include <array>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

template <class Range>
auto find_named(const Range& range, std::string_view name) -> decltype(&*range.begin()) {
  const auto it = std::find_if(range.begin(), range.end(), [&](const auto& x) { return x.name == name; });
  return it == range.end() ? nullptr : &*it;
}

void collect(const Model& model, const ModelStruct& in, const std::string& prefix, std::vector<ModelLeaf>& out) {
  for (const auto& field : in.fields) {
    const std::string path = prefix + field.name;
    if (field.is_native()) continue;
    if (!field.is_struct())
      out.push_back({path, &field});
    else if (!field.handled_by_reader)
      collect(model, *model.structure(field.reference), path + (field.list ? "[]." : "."), out);
  }
}

}  // namespace

std::string_view spelling(ModelType type) {
  static constexpr std::array<std::string_view, 14> kNames{
      "bool", "u32", "u64", "i32", "i64", "f64", "string", "uuid", "pci_bus_id", "hex32", "hex64", "", "", ""};
  return kNames.at(static_cast<std::size_t>(type));
}

const ModelWord* ModelEnum::find(std::string_view word) const {
  const auto it = std::find_if(words.begin(), words.end(), [&](const ModelWord& w) { return w.word == word; });
  return it == words.end() ? nullptr : &*it;
}

const ModelField* ModelStruct::find(std::string_view field) const { return find_named(fields, field); }

const ModelEnum* Model::enumeration(std::string_view name) const { return find_named(enums, name); }

const ModelStruct* Model::structure(std::string_view name) const { return find_named(structs, name); }

std::size_t Model::index_of_structure(std::string_view name) const {
  const auto* s = structure(name);
  if (s == nullptr) throw RegistryError("the model has no struct '" + std::string(name) + "'");
  return static_cast<std::size_t>(s - structs.data());
}

std::size_t Model::index_of_enumeration(std::string_view name) const {
  const auto* e = enumeration(name);
  if (e == nullptr) throw RegistryError("the model has no enum '" + std::string(name) + "'");
  return static_cast<std::size_t>(e - enums.data());
}

const ModelField* Model::find(std::string_view path) const {
  const ModelStruct* in = structure("Machine");
  const ModelField* found = nullptr;
  for (bool first = true; !path.empty(); first = false) {
    const auto dot = path.find('.');
    auto name = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    const bool items = name.size() > 2 && name.substr(name.size() - 2) == "[]";
    if (items) name.remove_suffix(2);
    if (in == nullptr) return nullptr;
    if (first && name == "gpu") name = "device_defaults";
    found = in->find(name);
    if (found == nullptr || (items && !found->list)) return nullptr;
    in = found->is_struct() ? structure(found->reference) : nullptr;
  }
  return found;
}

std::vector<ModelLeaf> Model::live() const {
  std::vector<ModelLeaf> all, out;
  collect(*this, *structure("Gpu"), "", all);
  for (const auto& leaf : all)
    if (leaf.field->motion != Motion::still) out.push_back(leaf);
  return out;
}

std::vector<ModelLeaf> Model::leaves() const {
  std::vector<ModelLeaf> out;
  collect(*this, *structure("Machine"), "", out);
  collect(*this, *structure("Gpu"), "gpu.", out);
  return out;
}

}  // namespace nvmlgen
