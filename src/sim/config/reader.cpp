#include "sim/config/reader.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "sim/config/scalar.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim::config {
namespace {

using model::FieldDescriptor;
using model::Member;
using model::StructDescriptor;
using model::Type;

[[noreturn]] void fail(const Node& node, const Path& path, const std::string& message) {
  node.fail(path.text() + ": " + message);
}

// Keys mostly come in the order of the registry, so the search goes on where the last one ended.
std::size_t find_field(std::span<const FieldDescriptor> fields, std::string_view name, std::size_t after) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t k = after + i < fields.size() ? after + i : after + i - fields.size();
    if (fields[k].name() == name) return k;
  }
  return fields.size();
}

[[noreturn]] void unknown_key(const Node& key, const StructDescriptor& type, const Path& path, bool reader_fields) {
  std::vector<std::string_view> names;
  for (const auto& field : type.fields())
    if (field.key(reader_fields)) names.push_back(field.name());
  std::string where = path.text();
  if (!where.empty()) where = " in " + where;
  if (const auto* field = type.find(key.text()); field != nullptr && field->key(true) && field->reader)
    key.fail("unknown key " + quote(key.text()) + where + "; it belongs to an entry of devices");
  key.fail("unknown key " + quote(key.text()) + where + hint(key.text(), names));
}

void read_list(const Node& node, const FieldDescriptor& field, const Member& member, const Path& path) {
  if (node.absent()) {
    member.count() = 0;
    return;
  }
  if (node.kind() != Kind::sequence) fail(node, path, "expected a list");
  if (node.size() > field.max_items)
    fail(node, path,
         "expected at most " + std::to_string(field.max_items) + " items, got " + std::to_string(node.size()));
  std::uint32_t i = 0;
  node.items([&](const Node& item) {
    const Path here{&path, {}, i};
    std::byte* at = member.item(i);
    if (field.type == Type::structure) {
      std::memset(at, 0, field.value_size);
      model::set_defaults(field.nested(), at);
      apply(item, field.nested(), at, here);
    } else if (const auto problem = read_scalar(item, field, at); !problem.empty()) {
      fail(item, here, problem);
    }
    ++i;
  });
  member.count() = i;
}

void read_member(const Node& node, const FieldDescriptor& field, std::byte* structure, const Path& path) {
  const Member member(field, structure);
  if (field.list) return read_list(node, field, member, path);
  if (node.absent()) {
    if (field.required) fail(node, path, "expected a value, got none");
    if (field.type == Type::structure) return model::clear(field.nested(), member.data());
    std::memset(member.data(), 0, field.value_size);
    member.present() = false;
    member.stated() = true;
    return;
  }
  if (field.type == Type::structure) return apply(node, field.nested(), member.data(), path);
  if (const auto problem = read_scalar(node, field, member.data()); !problem.empty()) fail(node, path, problem);
  member.present() = member.stated() = true;
}

}  // namespace

std::string Path::text() const {
  std::string out = outer != nullptr ? outer->text() : "";
  if (name.empty()) return outer != nullptr ? out + "[" + std::to_string(item) + "]" : out;
  if (!out.empty()) out += ".";
  return out += name;
}

void expect_mapping(const Node& node, const Path& path) {
  if (node.kind() == Kind::mapping) return;
  const std::string what = node.kind() == Kind::sequence ? "a list" : quote(node.text());
  const std::string where = path.text();
  node.fail((where.empty() ? "" : where + ": ") + "expected a mapping of keys to values, got " + what);
}

void apply(const Node& node, const StructDescriptor& type, std::byte* structure, const Path& path, bool reader_fields) {
  expect_mapping(node, path);
  const auto fields = type.fields();
  std::array<std::uint32_t, model::max_fields_of_a_struct> seen_at;  // line of the key, once it was seen
  std::memset(seen_at.data(), 0, fields.size() * sizeof(seen_at[0]));
  std::size_t next = 0;
  node.entries([&](const Node& key, const Node& value) {
    if (key.kind() != Kind::scalar)
      key.fail("expected a key, got a " + std::string(key.kind() == Kind::sequence ? "list" : "mapping"));
    const std::size_t k = find_field(fields, key.text(), next);
    if (k == fields.size() || !fields[k].key(reader_fields)) unknown_key(key, type, path, reader_fields);
    const std::string_view name = fields[k].name();
    if (seen_at[k] != 0) {
      const std::string where = path.text();
      key.fail("duplicate key " + quote(name) + (where.empty() ? "" : " in " + where) + "; the first is at line " +
               std::to_string(seen_at[k]));
    }
    seen_at[k] = key.line();
    next = k + 1;
    if (!fields[k].reader) read_member(value, fields[k], structure, Path{&path, name, 0});
  });
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].required && seen_at[k] == 0) {
      const std::string where = path.text();
      node.fail((where.empty() ? "" : where + ": ") + "expected a key " + quote(fields[k].name()));
    }
}

std::uint32_t read_number(const Node& node, const FieldDescriptor& field, const Path& path) {
  std::uint32_t value = 0;
  if (const auto problem = read_scalar(node, field, reinterpret_cast<std::byte*>(&value)); !problem.empty())
    fail(node, path, problem);
  return value;
}

}  // namespace nvmlkit::sim::config
