// Reads registry/model/*.yaml and refuses holes.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "registry/error.hpp"
#include "registry/model.hpp"
#include "registry/model_check.hpp"

namespace nvmlgen {
namespace {

// A node with the file it stands in.
struct At {
  const std::filesystem::path& file;
  YAML::Node node;

  std::string where() const { return file.string() + ":" + std::to_string(node.Mark().line + 1); }
  [[noreturn]] void fail(const std::string& what) const { throw RegistryError(where(), what); }
  At operator[](const YAML::Node& child) const { return {file, child}; }

  std::string text(const char* what) const {
    if (!node.IsScalar()) fail(std::string("expected ") + what);
    return node.Scalar();
  }

  bool flag() const {
    bool value = false;
    if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value)) fail("expected true or false");
    return value;
  }

  std::int64_t number() const {
    const auto value = parse_integer(text("a whole number"));
    if (!value) fail("expected a whole number, got '" + node.Scalar() + "'");
    return *value;
  }

  // Calls `visit(key, value)` for every entry of a mapping and refuses a key that comes twice.
  void each(const std::function<void(const std::string&, const At&)>& visit) const {
    if (!node.IsMap()) fail("expected a mapping");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const At key{file, entry.first};
      if (!seen.insert(key.text("a key")).second) key.fail("duplicate key '" + entry.first.Scalar() + "'");
      visit(entry.first.Scalar(), At{file, entry.second});
    }
  }
};

void set_type(ModelField& field, const At& at, const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ModelType::hex64); ++i)
    if (spelling(static_cast<ModelType>(i)) == name) {
      field.type = static_cast<ModelType>(i);
      return;
    }
  at.fail("unknown type '" + name + "'");
}

// A list's items are of a plain type, an enum or a struct; the name determines it, as all three share one name space.
void set_item_type(ModelField& field, const At& at, const std::string& name) {
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
    field.type = ModelType::structure;  // resolve() turns it into an enumeration where the name is an enum's
    field.reference = name;
  } else {
    set_type(field, at, name);
  }
}

ModelRange range_from(const At& at) {
  if (!at.node.IsSequence() || at.node.size() != 2) at.fail("expected [lowest, highest]");
  const ModelRange range{at[at.node[0]].number(), at[at.node[1]].number()};
  if (range.min > range.max) at.fail("the range is empty");
  return range;
}

Identity identity_from(const At& at) {
  const auto word = at.text("basis, own or key");
  if (word == "basis") return Identity::basis;
  if (word == "own") return Identity::own;
  if (word == "key") return Identity::key;
  at.fail("expected basis, own or key");
}

void set_attribute(ModelField& field, const std::string& key, const At& at, int& kinds) {
  if (key == "type") {
    set_type(field, at, at.text("a type")), ++kinds;
  } else if (key == "enum" || key == "struct") {
    field.type = key == "enum" ? ModelType::enumeration : ModelType::structure;
    field.reference = at.text("a name"), ++kinds;
  } else if (key == "native") {
    field.type = ModelType::native;
    field.reference = at.text("a C++ type"), ++kinds;
  } else if (key == "include") {
    field.include = at.text("a header");
  } else if (key == "list") {
    field.list = true;
    set_item_type(field, at, at.text("a type")), ++kinds;
  } else if (key == "max") {
    field.max_items = static_cast<std::size_t>(at.number());
  } else if (key == "size") {
    field.capacity = static_cast<std::size_t>(at.number());
  } else if (key == "unit") {
    field.unit = at.text("a unit");
  } else if (key == "doc") {
    field.doc = at.text("a text");
  } else if (key == "range") {
    field.range = range_from(at);
  } else if (key == "default") {
    if (at.node.IsSequence() && at.node.size() == 0)
      field.default_text = "[]";
    else
      field.default_text = at.text("a value, or []");
  } else if (key == "words") {
    if (!at.node.IsSequence() || at.node.size() == 0) at.fail("expected a list of words");
    for (const auto& word : at.node) field.words.push_back(at[word].text("a word"));
  } else if (key == "required") {
    field.required = at.flag();
  } else if (key == "quoted") {
    field.quoted = at.flag();
  } else if (key == "handled") {
    if (at.text("reader") != "reader") at.fail("expected reader");
    field.handled_by_reader = true;
  } else if (key == "live") {
    const auto motion = at.text("value or counter");
    if (motion != "value" && motion != "counter") at.fail("expected value or counter");
    field.motion = motion == "counter" ? Motion::counter : Motion::value;
  } else if (key == "identity") {
    field.identity = identity_from(at);
  } else if (key == "later" || key == "inert") {
    if (field.visibility != Visibility::shown) at.fail("later and inert exclude each other");
    field.visibility = key == "later" ? Visibility::later : Visibility::inert;
    field.visibility_note = at.text("a text");
    if (field.visibility_note.empty()) at.fail("expected a text");
  } else {
    at.fail("unknown attribute '" + key + "'");
  }
}

ModelField field_from(const std::string& name, const At& at) {
  ModelField field;
  field.name = name;
  field.where = at.where();
  int kinds = 0;
  at.each([&](const std::string& key, const At& value) { set_attribute(field, key, value, kinds); });
  if (kinds != 1) at.fail("field '" + name + "' needs exactly one of type, enum, struct, list, native");
  if (field.type == ModelType::uuid) field.capacity = 80;
  return field;
}

ModelStruct struct_from(const At& at) {
  ModelStruct s;
  s.where = at.where();
  at.each([&](const std::string& key, const At& value) {
    if (key == "struct")
      s.name = value.text("a name");
    else if (key == "doc")
      s.doc = value.text("a text");
    else if (key == "fields")
      value.each([&](const std::string& name, const At& field) { s.fields.push_back(field_from(name, field)); });
    else
      value.fail("unknown key '" + key + "'");
  });
  if (s.name.empty()) at.fail("a struct without a name");
  return s;
}

ModelEnum enum_from(const std::string& name, const At& at, const Facts& facts) {
  ModelEnum e;
  e.name = name;
  e.where = at.where();
  at.each([&](const std::string& key, const At& value) {
    if (key == "type") {
      e.nvml_type = value.text("an NVML type");
      const bool plain = e.nvml_type.starts_with("unsigned ");  // constants without a type
      if (!plain && !facts.enumeration(e.nvml_type) && !facts.type_definition(e.nvml_type))
        value.fail("the facts have no type '" + e.nvml_type + "'");
    } else if (key == "code") {
      e.code = value.text("what uses the enum");
    } else if (key == "words") {
      value.each([&](const std::string& word, const At& constant) {
        const auto number = facts.value(constant.text("an NVML constant"));
        if (!number) constant.fail("the facts have no constant '" + constant.node.Scalar() + "'");
        e.words.push_back({word, constant.node.Scalar(), *number});
      });
    } else {
      value.fail("unknown key '" + key + "'");
    }
  });
  if (e.nvml_type.empty() || e.words.empty()) at.fail("enum '" + name + "' needs type and words");
  return e;
}

void load_file(const std::filesystem::path& file, const Facts& facts, Model& model) {
  YAML::Node document;
  try {
    document = YAML::LoadFile(file.string());
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
  const At at{file, document};
  if (document.IsSequence()) {
    for (const auto& item : document) model.structs.push_back(struct_from(at[item]));
  } else if (document.IsMap() && document["enums"]) {
    at.each([&](const std::string& key, const At& value) {
      if (key != "enums") value.fail("unknown key '" + key + "'");
      value.each([&](const std::string& name, const At& e) { model.enums.push_back(enum_from(name, e, facts)); });
    });
  } else {
    model.structs.push_back(struct_from(at));
  }
}

}  // namespace

Model load_model(const std::filesystem::path& directory, const Facts& facts) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  if (files.empty()) throw RegistryError(directory.string(), "holds no *.yaml");
  std::sort(files.begin(), files.end());
  Model model;
  for (const auto& file : files) load_file(file, facts, model);
  check_and_order(model);
  return model;
}

}  // namespace nvmlgen
