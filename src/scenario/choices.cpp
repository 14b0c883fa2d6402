#include "scenario/choices.hpp"

#include <algorithm>

#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/machine.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::scenario {

using namespace sim;
using config::Kind;

namespace {

constexpr const char* kGpus = "all, an index, a range such as 0-3, a UUID, a bus id, 25% or the name of a group";

// Puts the indices of FIRST-LAST behind the others; false where the text is no range.
bool add_range(std::string_view text, std::vector<std::string>& out) {
  std::string_view rest;
  const auto first = text::number_before<std::uint32_t>(text, rest);
  if (!first || !rest.starts_with('-')) return false;
  const auto last = text::number_of<std::uint32_t>(rest.substr(1));
  if (!last || *last < *first || *last >= kMaxGpus) return false;
  for (auto i = *first; i <= *last; ++i) out.push_back(std::to_string(i));
  return true;
}

bool names_gpu(const std::string& word) {
  return word == "all" || text::number_of<std::uint32_t>(word) || text::is_gpu_uuid(word) ||
         model::parse_pci_bus_id(word);
}

Expected<void> add_gpus(const YamlNode& node, bool alone, std::vector<std::string>& out) {
  const auto text = read_text(node);
  if (!text) return fail(text.error());
  if (add_range(*text, out)) return {};
  // The machine refuses an index or a UUID that it does not have.
  if (!alone && !names_gpu(*text)) return fail_at(node, wrong_value(kGpus, quote(*text)));
  out.push_back(*text);
  return {};
}

Expected<void> read_list(const YamlNode& node, std::vector<std::string>& out) {
  out.clear();
  if (node.kind() != Kind::sequence) return add_gpus(node, true, out);
  if (node.size() == 0) return fail_at(node, wrong_value(kGpus, "an empty list"));
  return node.items([&](const YamlNode& item) { return add_gpus(item, false, out); });
}

// In place of a choice of GPUs that is a mapping.
Expected<void> read_draw(const YamlNode& node, GpuChoice& out) {
  auto read = read_mapping(node, "choice of GPUs", gpu_keys(),
                           [&](std::string_view key, const YamlNode& value) -> Expected<void> {
                             if (key == "of") return read_list(value, out.named);
                             if (key == "count") return put(out.count, read_whole(value));
                             return put(out.fraction, read_chance(value));
                           });
  if (!read) return read;
  if (out.count.has_value() == out.fraction.has_value())
    return fail_at(node, contradiction("a choice of GPUs needs either a count or a fraction"));
  for (const auto& word : out.named)
    if (!names_gpu(word)) return fail_at(node.find("of"), wrong_value("all, indices, UUIDs or bus ids", quote(word)));
  return {};
}

Expected<void> read_labels(const YamlNode& node, NodeChoice& out) {
  return read_named(node, "labels", [&](std::string_view key, const YamlNode& value) -> Expected<void> {
    auto text = read_text(value);
    if (!text) return fail(std::move(text.error()));
    out.labels.emplace_back(std::string(key), std::move(*text));
    return {};
  });
}

}  // namespace

Expected<GpuChoice> read_gpus(const YamlNode& node, std::string key) {
  GpuChoice out;
  out.key = std::move(key);
  out.place = node.place();
  if (node.kind() == Kind::mapping) {
    auto read = read_draw(node, out);
    return read ? Expected<GpuChoice>(std::move(out)) : fail(std::move(read.error()));
  }
  if (node.kind() == Kind::scalar && node.text().ends_with('%')) {
    auto fraction = read_chance(node);
    if (!fraction) return fail(std::move(fraction.error()));
    out.fraction = *fraction;
    return out;
  }
  auto read = read_list(node, out.named);
  return read ? Expected<GpuChoice>(std::move(out)) : fail(std::move(read.error()));
}

Expected<NodeChoice> read_nodes(const YamlNode& node) {
  NodeChoice out;
  if (node.kind() == Kind::scalar && node.text().ends_with('%')) {
    auto fraction = read_chance(node);
    if (!fraction) return fail(std::move(fraction.error()));
    out.fraction = *fraction;
    return out;
  }
  if (node.kind() != Kind::mapping) {
    auto read = put(out.names, read_texts(node));
    return read ? Expected<NodeChoice>(std::move(out)) : fail(std::move(read.error()));
  }
  auto read = read_mapping(node, "choice of nodes", node_keys(),
                           [&](std::string_view key, const YamlNode& value) -> Expected<void> {
                             if (key == "names") return put(out.names, read_texts(value));
                             if (key == "pool") return put(out.pools, read_texts(value));
                             if (key == "labels") return read_labels(value, out);
                             return put(out.fraction, read_chance(value));
                           });
  return read ? Expected<NodeChoice>(std::move(out)) : fail(std::move(read.error()));
}

Expected<std::map<std::string, GpuChoice>> read_groups(const YamlNode& node) {
  std::map<std::string, GpuChoice> out;
  auto read = read_named(node, "groups", [&](std::string_view key, const YamlNode& value) -> Expected<void> {
    const std::string name(key);
    if (names_gpu(name) || name.empty() || name.find_first_of(" %,=") != std::string::npos)
      return fail(wrong_value("a name of letters for a group", quote(name)));
    auto choice = read_gpus(value, "group " + name);
    if (!choice) return fail(std::move(choice.error()));
    if (!choice->count && !choice->fraction)
      for (const auto& word : choice->named)
        if (!names_gpu(word)) return fail_at(value, wrong_value("all, indices, UUIDs or bus ids", quote(word)));
    out.emplace(name, std::move(*choice));
    return {};
  });
  return read ? Expected<std::map<std::string, GpuChoice>>(std::move(out)) : fail(std::move(read.error()));
}

Expected<void> resolve_group(GpuChoice& choice, const std::map<std::string, GpuChoice>& groups) {
  if (choice.count || choice.fraction || choice.named.size() != 1 || names_gpu(choice.named[0])) return {};
  const auto& name = choice.named[0];
  if (groups.contains(name)) {
    choice.group = name;
    return {};
  }
  std::vector<std::string_view> known;
  for (const auto& [each, ignored] : groups) known.push_back(each);
  if (known.empty()) return fail(wrong_value(kGpus, quote(name)).at(choice.place));
  return fail(unknown_name("group", name, known).at(choice.place));
}

}  // namespace nvmlkit::scenario
