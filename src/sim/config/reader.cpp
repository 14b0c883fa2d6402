#include "sim/config/reader.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::sim::config {
namespace {

using model::FieldDescriptor;
using model::Member;
using model::StructDescriptor;
using model::Type;

constexpr std::size_t kDeepest = 64;  // a struct of the model has fewer levels

// Keys mostly come in the order of the registry, so the search goes on where the last one ended.
std::size_t find_field(std::span<const FieldDescriptor> fields, std::string_view name, std::size_t after) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t k = after + i < fields.size() ? after + i : after + i - fields.size();
    if (fields[k].name() == name) return k;
  }
  return fields.size();
}

// A problem of a key inside of the path.
detail::unexpected<Problem> fail_at_key(const Node& key, const Path& path, Problem problem) {
  problem.naming = Naming::after;
  return fail_at(key, path, std::move(problem));
}

detail::unexpected<Problem> unknown_key(const Node& key, const StructDescriptor& type, const Path& path,
                                        bool reader_fields) {
  if (const auto* field = type.find(key.text()); field != nullptr && field->key(true) && field->reader) {
    auto problem = unknown_name("key", key.text(), {});
    problem.hint = "it belongs to an entry of devices";
    return fail_at_key(key, path, std::move(problem));
  }
  std::vector<std::string_view> names;
  for (const auto& field : type.fields())
    if (field.key(reader_fields)) names.push_back(field.name());
  return fail_at_key(key, path, unknown_name("key", key.text(), names));
}

Expected<void> read_scalar(const Node& node, const FieldDescriptor& field, std::byte* at) {
  if (node.kind() != Kind::scalar)
    return fail(text::not_a_scalar(field, node.kind() == Kind::sequence ? "a list" : "a mapping"));
  return text::parse_scalar({node.text(), node.plain()}, field, at);
}

Expected<void> read_list(const Node& node, const FieldDescriptor& field, const Member& member, const Path& path) {
  if (node.absent()) {
    member.count() = 0;
    return {};
  }
  if (node.kind() != Kind::sequence) return fail_at(node, path, wrong_value("a list"));
  if (node.size() > field.max_items)
    return fail_at(node, path,
                   wrong_value("at most " + std::to_string(field.max_items) + " items", std::to_string(node.size())));
  std::uint32_t i = 0;
  auto read = node.items([&](const Node& item) -> Expected<void> {
    const Path here = path.at(i);
    std::byte* at = member.item(i);
    ++i;
    if (field.type == Type::structure) {
      std::memset(at, 0, field.value_size);
      model::set_defaults(field.nested(), at);
      return apply(item, field.nested(), at, here);
    }
    if (auto good = read_scalar(item, field, at); !good) return fail_at(item, here, std::move(good.error()));
    return {};
  });
  member.count() = i;
  return read;
}

Expected<void> read_member(const Node& node, const FieldDescriptor& field, std::byte* structure, const Path& path) {
  const Member member(field, structure);
  if (field.list) return read_list(node, field, member, path);
  if (node.absent()) {
    if (field.required)
      return fail_at(node, path, {.kind = ProblemKind::missing, .expected = "a value", .given = "none"});
    if (field.type == Type::structure) {
      model::clear(field.nested(), member.data());
      return {};
    }
    std::memset(member.data(), 0, field.value_size);
    member.present() = false;
    member.stated() = true;
    return {};
  }
  if (field.type == Type::structure) return apply(node, field.nested(), member.data(), path);
  if (auto good = read_scalar(node, field, member.data()); !good) return fail_at(node, path, std::move(good.error()));
  member.present() = member.stated() = true;
  return {};
}

detail::unexpected<Problem> duplicate_key(const Node& key, const Path& path, std::uint32_t first_line) {
  return fail_at_key(key, path,
                     {.kind = ProblemKind::duplicate,
                      .what = "duplicate key " + quote(key.text()),
                      .hint = "the first is at line " + std::to_string(first_line)});
}

}  // namespace

Problem Path::locate(Problem problem) const {
  const Path* keys[kDeepest];
  std::size_t count = 0;
  for (const Path* at = this; at->outer != nullptr && count < kDeepest; at = at->outer) keys[count++] = at;
  problem.owner = owner;
  while (count-- > 0) {
    const Path& here = *keys[count];
    if (here.name.empty()) {
      problem.part.push_back({here.item, {}});
      continue;
    }
    auto& out = problem.part.empty() ? problem.field : problem.part.back().key;
    out.append(out.empty() ? "" : ".").append(here.name);
  }
  return problem;
}

detail::unexpected<Problem> fail_at(const Node& node, const Path& path, Problem problem) {
  return fail(path.locate(std::move(problem)).at(node.place()));
}

Expected<void> expect_mapping(const Node& node, const Path& path) {
  if (node.kind() == Kind::mapping) return {};
  return fail_at(
      node, path,
      wrong_value("a mapping of keys to values", node.kind() == Kind::sequence ? "a list" : quote(node.text())));
}

Expected<void> apply(const Node& node, const StructDescriptor& type, std::byte* structure, const Path& path,
                     bool reader_fields) {
  if (auto good = expect_mapping(node, path); !good) return good;
  const auto fields = type.fields();
  std::array<std::uint32_t, model::max_fields_of_a_struct> seen_at;  // line of the key, once it was seen
  std::memset(seen_at.data(), 0, fields.size() * sizeof(seen_at[0]));
  std::size_t next = 0;
  auto read = node.entries([&](const Node& key, const Node& value) -> Expected<void> {
    if (key.kind() != Kind::scalar)
      return fail(Problem{.kind = ProblemKind::syntax,
                          .expected = "a key",
                          .given = key.kind() == Kind::sequence ? "a list" : "a mapping",
                          .place = key.place()});
    const std::size_t k = find_field(fields, key.text(), next);
    if (k == fields.size() || !fields[k].key(reader_fields)) return unknown_key(key, type, path, reader_fields);
    if (seen_at[k] != 0) return duplicate_key(key, path, seen_at[k]);
    seen_at[k] = key.line();
    next = k + 1;
    return fields[k].reader ? Expected<void>() : read_member(value, fields[k], structure, path.key(fields[k].name()));
  });
  if (!read) return read;
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].required && seen_at[k] == 0) return fail_at(node, path, missing("a key " + quote(fields[k].name())));
  return {};
}

Expected<std::uint32_t> read_number(const Node& node, const FieldDescriptor& field, const Path& path) {
  std::uint32_t value = 0;
  if (auto good = read_scalar(node, field, reinterpret_cast<std::byte*>(&value)); !good)
    return fail_at(node, path, std::move(good.error()));
  return value;
}

Expected<void> assign(const StructDescriptor& type, std::byte* structure, std::string_view path,
                      std::string_view yaml) {
  const auto document = Document::parse("value", text::mapping_of(path, yaml));
  auto done = document ? apply(document->root(), type, structure, {}, false) : fail(document.error());
  if (!done) done.error().place = {};  // the lines are those of mapping_of()
  return done;
}

}  // namespace nvmlkit::sim::config
