#include "cli/values.hpp"

#include <fmt/format.h>

#include "cli/model_json.hpp"
#include "cli/target.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::cli {
namespace {

void set(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments) {
  const auto machine = machine_of(state);
  accept(sim::steering::set(*machine, selector, assignments));
}

void get(const std::string& state, const std::string& selector, const std::string& path, bool as_json) {
  const auto machine = machine_of(state);
  const auto selected = select(*machine, selector);
  auto all = Json::array();
  for (const auto index : selected) {
    const auto gpu = snapshot(*machine, index);
    sim::telemetry::resolve(*machine, *gpu);
    const auto value = value_at(*gpu, sim::steering::full_path(path));
    if (as_json)
      all.push_back({{"gpu", index}, {"value", value}});
    else if (selected.size() == 1 && !value.is_object())
      fmt::print("{}\n", text_of(value));
    else
      print(selected.size() > 1 ? fmt::format("gpu={} ", index) : "", path, value);
  }
  if (as_json) fmt::print("{}\n", all.dump(2));
}

}  // namespace

int get_values(const std::string& state, const std::string& selector, const std::string& path, bool as_json) {
  return guarded([&] { get(state, selector, path, as_json); });
}

int set_values(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments) {
  return guarded([&] { set(state, selector, assignments); });
}

}  // namespace nvmlkit::cli
