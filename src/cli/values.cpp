#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/model_json.hpp"
#include "cli/target.hpp"
#include "sim/config/check.hpp"
#include "sim/config/document.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::cli {
namespace {

using sim::Machine;
using sim::config::quote;
using sim::model::Gpu;

// PATH=VALUE as the lines of a machine file.
std::string lines_of(const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) throw Refused("expected PATH=VALUE, got " + quote(assignment));
  const std::string path = full_path(assignment.substr(0, equals)), value = assignment.substr(equals + 1);
  const auto strange = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
  };
  if (std::any_of(path.begin(), path.end(), strange) || path.find("..") != std::string::npos || path.ends_with('.'))
    throw Refused("expected a path such as power.limit_mw, got " + quote(path));
  if (value.empty() || value.find('\n') != std::string::npos) throw Refused("expected a value in " + quote(assignment));
  std::string out, indent;
  for (const auto& name : segments(path)) {
    out += out.empty() ? "" : "\n";
    out += indent + name + ":";
    indent += "  ";
  }
  return out + " " + value + "\n";
}

void assign(Gpu& gpu, const std::string& assignment) {
  try {
    const auto document = sim::config::Document::parse("command", lines_of(assignment));
    sim::config::apply(document.root(), sim::model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), {}, false);
  } catch (const sim::ConfigFailure& failure) {
    throw Refused(failure.error.message);
  }
}

// What the driver itself keeps in step.
void settle(Gpu& gpu, const std::vector<std::string>& assignments) {
  const auto sets = [&](std::string_view path) {
    return std::any_of(assignments.begin(), assignments.end(), [&](const auto& a) { return a.starts_with(path); });
  };
  auto& power = gpu.power;
  if (sets("power.limit_mw=") && !sets("power.enforced_limit_mw=") && power.limit_mw)
    power.enforced_limit_mw = std::min(*power.limit_mw, power.other_limit_mw.value_or(*power.limit_mw));
}

// Each GPU is found by these.
void check_identity(const Machine& machine, std::size_t index, const Gpu& wanted) {
  if (!wanted.uuid || !wanted.pci.bus_id) throw Refused("a GPU needs its uuid and pci.bus_id");
  for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
    const auto& other = machine.gpus()[i];
    if (i != index && (other.uuid == wanted.uuid || other.pci.bus_id == wanted.pci.bus_id))
      throw Refused(fmt::format("GPU {} would have the uuid or the pci.bus_id of GPU {}", index, i));
  }
}

void set(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments) {
  const auto machine = machine_of(state);
  const auto selected = select(*machine, selector);
  if (selected.size() > 1)
    for (const auto& assignment : assignments)
      if (assignment.starts_with("uuid=") || assignment.starts_with("pci.bus_id="))
        throw Refused("several GPUs cannot have one uuid or one pci.bus_id");
  change(*machine, selected, [&](Gpu& gpu, std::size_t index) {
    const auto before = std::make_unique<Gpu>(gpu);
    for (const auto& assignment : assignments) assign(gpu, assignment);
    settle(gpu, assignments);
    if (const auto problem = sim::config::contradiction(gpu); !problem.empty())
      throw Refused(fmt::format("GPU {}: {}", index, problem));
    check_identity(*machine, index, gpu);
    sim::telemetry::pin_changes(*before, gpu, [&](std::string_view path) {
      return std::any_of(assignments.begin(), assignments.end(), [&](const std::string& assignment) {
        return full_path(assignment.substr(0, assignment.find('='))) == path;
      });
    });
  });
}

void get(const std::string& state, const std::string& selector, const std::string& path, bool as_json) {
  const auto machine = machine_of(state);
  const auto selected = select(*machine, selector);
  auto all = Json::array();
  for (const auto index : selected) {
    const auto gpu = snapshot(*machine, index);
    sim::telemetry::resolve(*machine, *gpu);
    const auto value = value_at(*gpu, full_path(path));
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
