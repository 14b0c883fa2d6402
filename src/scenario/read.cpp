#include "scenario/read.hpp"

#include "scenario/choices.hpp"
#include "scenario/read_step.hpp"
#include "scenario/workload.hpp"
#include "sim/config/read_file.hpp"

namespace nvmlkit::scenario {

using namespace sim;
using config::Kind;

namespace {

std::string name_of_file(const std::string& file) {
  auto name = file.substr(file.rfind('/') + 1);
  for (const std::string_view ending : {".yaml", ".yml"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

Expected<void> read_key(std::string_view key, const YamlNode& value, Scenario& out) {
  if (key == "name") return put(out.name, read_text(value));
  if (key == "description") return put(out.description, read_text(value));
  if (key == "seed") return put(out.seed, read_text(value));
  if (key == "nodes") return put(out.nodes, read_nodes(value));
  if (key == "gpus") return put(out.gpus, read_gpus(value, "gpus"));
  if (key == "groups") return put(out.groups, read_groups(value));
  if (key == "end") return put(out.end_s, read_duration(value));
  if (key == "undo") return put(out.undo, read_flag(value));
  return {};  // for people, or read once the groups are known
}

Expected<void> read_steps(const YamlNode& node, Scenario& out) {
  if (!node || node.kind() != Kind::sequence || node.size() == 0)
    return fail_at(node, wrong_value("a list of steps, each with at least `do`, `expect` or `when`"));
  return node.items([&](const YamlNode& item) -> Expected<void> {
    if (!out.steps.empty() && out.steps.back().endless() && item.kind() == Kind::mapping && !item.find("at"))
      return fail_at(item, contradiction("the step before repeats without end, so this one needs `at`"));
    auto step = read_step(item, out.steps.size(), out.groups);
    if (!step) return fail(std::move(step.error()));
    if (step->from.empty()) {
      out.steps.push_back(std::move(*step));
      return {};
    }
    auto steps = steps_of_workload(*step, out.file);
    if (!steps) return fail(std::move(steps.error()));
    for (auto& each : *steps) out.steps.push_back(std::move(each));
    return {};
  });
}

}  // namespace

Expected<Scenario> read(const std::string& file, std::string_view text) {
  const auto document = config::Document::parse(file, text);
  if (!document) return fail(document.error());
  const auto root = document->root();
  if (!root) return fail(wrong_value("a scenario with steps", "an empty file").at({file, 0, 0}));
  Scenario out;
  out.file = file;
  out.gpus.key = "gpus";
  auto good = read_mapping(root, "scenario", file_keys(),
                           [&](std::string_view key, const YamlNode& value) { return read_key(key, value, out); });
  if (!good) return fail(std::move(good.error()));
  if (good = resolve_group(out.gpus, out.groups); !good) return fail(std::move(good.error()));
  if (out.name.empty()) out.name = name_of_file(file);
  if (out.seed.empty()) out.seed = out.name;
  const auto steps = root.find("steps");
  if (!steps) return fail_at(root, missing("a key 'steps'"));
  if (good = read_steps(steps, out); !good) return fail(std::move(good.error()));
  return out;
}

Expected<Scenario> read_file(const std::string& path) {
  const auto text = config::read_file(path);
  return text ? read(path, *text) : fail(text.error());
}

}  // namespace nvmlkit::scenario
