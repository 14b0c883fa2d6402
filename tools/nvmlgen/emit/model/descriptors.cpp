#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emit/model/emitters.hpp"
#include "emit/text/banner.hpp"
#include "registry/model_check.hpp"

namespace nvmlgen {
namespace {

// Every text of the tables once, one behind the other.
class TextPool {
 public:
  std::string ref(const std::string& text) {
    if (text.empty()) return "{0, 0}";
    const auto [it, fresh] = places_.emplace(text, size_);
    if (fresh) {
      lines_ += fmt::format("    \"{}\"\n", escape(text));
      size_ += text.size();
    }
    return fmt::format("{{{}, {}}}", it->second, text.size());
  }

  const std::string& lines() const { return lines_; }

 private:
  static std::string escape(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  }

  std::map<std::string, std::size_t> places_;
  std::string lines_;
  std::size_t size_ = 0;
};

// The words of every enum, then of every field with words of its own.
struct Words {
  std::string rows;
  std::map<std::string, std::size_t> first;  // by enum name, or by field place
  std::size_t count = 0;
};

Words collect_words(const Model& model, TextPool& pool) {
  Words words;
  for (const auto& e : model.enums) {
    if (!e.code.empty()) continue;  // no field has its words
    words.first[e.name] = words.count;
    words.rows += fmt::format("    // {} ({})\n", e.name, e.nvml_type);
    for (const auto& w : e.words)
      words.rows += fmt::format("    {{{}, {}u}},  // {} = {}\n", pool.ref(w.word), static_cast<std::uint32_t>(w.value),
                                w.word, w.constant);
    words.count += e.words.size();
  }
  for (const auto& s : model.structs)
    for (const auto& field : s.fields) {
      if (field.words.empty()) continue;
      words.first[s.name + "." + field.name] = words.count;
      words.rows += fmt::format("    // {}.{}\n", s.name, field.name);
      for (const auto& w : field.words) words.rows += fmt::format("    {{{}, 0u}},  // {}\n", pool.ref(w), w);
      words.count += field.words.size();
    }
  return words;
}

const char* type_name(ModelType type) {
  switch (type) {
    case ModelType::boolean:
      return "boolean";
    case ModelType::enumeration:
      return "enumeration";
    case ModelType::structure:
      return "structure";
    case ModelType::native:
      return "native";
    default:
      return spelling(type).data();
  }
}

const char* visibility_name(Visibility visibility) {
  return visibility == Visibility::shown ? "shown" : visibility == Visibility::later ? "later" : "inert";
}

const char* identity_name(Identity identity) {
  switch (identity) {
    case Identity::none:
      return "none";
    case Identity::basis:
      return "basis";
    case Identity::own:
      return "own";
    case Identity::key:
      return "key";
  }
  return "none";
}

std::int64_t default_value(const Model& model, const ModelField& field) {
  if (!field.default_text || field.list || field.is_text()) return 0;
  if (field.type == ModelType::boolean) return *field.default_text == "true";
  if (field.type == ModelType::enumeration) return model.enumeration(field.reference)->find(*field.default_text)->value;
  return parse_integer(*field.default_text).value_or(0);
}

std::string layout(const ModelStruct& s, const ModelField& field) {
  if (field.handled_by_reader) return ".offset = 0, .present_offset = 0, .items_offset = 0, .value_size = 0";
  const std::string member = cpp_member(field);
  const std::string value = cpp_value_type(field);
  std::string present = "0", items = "0";
  if (field.list)
    items = fmt::format("offsetof(decltype({}::{}), items)", s.name, member);
  else if (!field.is_struct() && !field.is_native())
    present = fmt::format("offsetof(decltype({}::{}), present)", s.name, member);
  return fmt::format(".offset = offsetof({}, {}), .present_offset = {}, .items_offset = {}, .value_size = sizeof({})",
                     s.name, member, present, items, value);
}

std::string row(const Model& model, const ModelStruct& s, const ModelField& field, TextPool& pool, const Words& words) {
  std::size_t first = 0, count = 0;
  if (field.type == ModelType::enumeration) {
    first = words.first.at(field.reference);
    count = model.enumeration(field.reference)->words.size();
  } else if (!field.words.empty()) {
    first = words.first.at(s.name + "." + field.name);
    count = field.words.size();
  }
  std::string out = fmt::format("    // {}.{}\n", s.name, field.name);
  out += fmt::format("    {{.name_text = {}, .unit_text = {}, .doc_text = {}, .note_text = {}, .default_text = {},\n",
                     pool.ref(field.name), pool.ref(field.unit), pool.ref(field.doc), pool.ref(field.visibility_note),
                     pool.ref(field.list ? "" : field.default_text.value_or("")));
  out += fmt::format(
      "     .type = Type::{}, .visibility = Visibility::{}, .identity = Identity::{}, .list = {}, .required = {}, "
      ".quoted = {}, .reader = {}, "
      ".ranged = {}, .has_default = {},\n",
      type_name(field.type), visibility_name(field.visibility), identity_name(field.identity), field.list,
      field.required, field.quoted, field.handled_by_reader || field.is_native(), field.range.has_value(),
      field.default_text.has_value() && !field.list);
  out += fmt::format("     {},\n", layout(s, field));
  const auto range = field.range.value_or(ModelRange{});
  out += fmt::format(
      "     .max_items = {}, .capacity = {}, .structure = {}, .first_word = {}, .word_count = {}, .min = {}, .max = "
      "{}, "
      ".default_value = {}}},\n",
      field.max_items, field.capacity, field.is_struct() ? model.index_of_structure(field.reference) : 0, first, count,
      range.min, range.max, default_value(model, field));
  return out;
}

bool has_list(const Model& model, const ModelStruct& s) {
  for (const auto& field : s.fields) {
    if (field.handled_by_reader) continue;
    if (field.list || (field.is_struct() && has_list(model, *model.structure(field.reference)))) return true;
  }
  return false;
}

}  // namespace

std::string emit_model_descriptors_header(const Model& model, const Facts&) {
  std::string out = kBanner;
  out +=
      "// Which descriptor belongs to which struct.\n"
      "#pragma once\n\n"
      "#include \"sim/generated/model.hpp\"\n"
      "#include \"sim/model/descriptor.hpp\"\n\n"
      "namespace nvmlkit::sim::model {\n\n";
  for (std::size_t i = 0; i < model.structs.size(); ++i)
    out += fmt::format(
        "template <>\ninline const StructDescriptor& descriptor<{}>() {{ return detail::struct_table[{}]; }}\n",
        model.structs[i].name, i);
  out += fmt::format(
      "\ninline std::span<const StructDescriptor> all_structs() {{ return {{detail::struct_table, {}}}; }}\n",
      model.structs.size());
  std::size_t most = 0;
  for (const auto& s : model.structs) most = std::max(most, s.fields.size());
  out += fmt::format("\ninline constexpr std::size_t max_fields_of_a_struct = {};\n", most);
  return out + "\n}  // namespace nvmlkit::sim::model\n";
}

std::string emit_model_descriptors(const Model& model, const Facts&) {
  TextPool pool;
  const Words words = collect_words(model, pool);
  std::string fields, structs;
  std::size_t first = 0;
  for (const auto& s : model.structs) {
    for (const auto& field : s.fields) fields += row(model, s, field, pool, words);
    structs += fmt::format("    {{{}, {}, {}, {}, sizeof({}), {}}},  // {}\n", pool.ref(s.name), pool.ref(s.doc), first,
                           s.fields.size(), s.name, has_list(model, s), s.name);
    first += s.fields.size();
  }
  std::string out = kBanner;
  out += "#include \"sim/generated/model_descriptors.hpp\"\n\n#include <cstddef>\n\n";
  out += "namespace nvmlkit::sim::model::detail {\n\n";
  out += "constexpr char text_pool[] =\n" + pool.lines() + ";\n\n";
  out += "constexpr Word word_table[] = {\n" + words.rows + "};\n\n";
  out += "constexpr FieldDescriptor field_table[] = {\n" + fields + "};\n\n";
  out += "constexpr StructDescriptor struct_table[] = {\n" + structs + "};\n";
  return out + "\n}  // namespace nvmlkit::sim::model::detail\n";
}

}  // namespace nvmlgen
