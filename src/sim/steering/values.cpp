#include <algorithm>

#include "sim/config/check.hpp"
#include "sim/config/document.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/steering/selector.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using config::quote;
using model::Gpu;

struct Assignment {
  std::string path, value;
};

// What is wrong, empty when nothing is.
std::string parse(const std::string& text, Assignment& out) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return "expected PATH=VALUE, got " + quote(text);
  out = {full_path(text.substr(0, equals)), text.substr(equals + 1)};
  const auto strange = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
  };
  const auto& path = out.path;
  if (std::any_of(path.begin(), path.end(), strange) || path.find("..") != std::string::npos || path.ends_with('.'))
    return "expected a path such as power.limit_mw, got " + quote(path);
  if (out.value.empty() || out.value.find('\n') != std::string::npos) return "expected a value in " + quote(text);
  return {};
}

// As the lines of a machine file.
std::string lines_of(const Assignment& assignment) {
  std::string out, indent;
  for (const auto& name : segments(assignment.path)) {
    out += out.empty() ? "" : "\n";
    out += indent + name + ":";
    indent += "  ";
  }
  return out + " " + assignment.value + "\n";
}

std::string assign(Gpu& gpu, const Assignment& assignment) {
  try {
    const auto document = config::Document::parse("command", lines_of(assignment));
    config::apply(document.root(), model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), {}, false);
  } catch (const ConfigFailure& failure) {
    return failure.error.message;
  }
  return {};
}

bool sets(const std::vector<Assignment>& assignments, std::string_view path) {
  return std::any_of(assignments.begin(), assignments.end(), [&](const auto& each) { return each.path == path; });
}

// What the driver itself keeps in step.
void settle(Gpu& gpu, const std::vector<Assignment>& assignments) {
  auto& power = gpu.power;
  if (sets(assignments, "power.limit_mw") && !sets(assignments, "power.enforced_limit_mw") && power.limit_mw)
    power.enforced_limit_mw = std::min(*power.limit_mw, power.other_limit_mw.value_or(*power.limit_mw));
}

// Each GPU is found by these.
std::string check_identity(const Machine& machine, std::size_t place, const Gpu& wanted) {
  if (!wanted.uuid || !wanted.pci.bus_id) return "a GPU needs its uuid and pci.bus_id";
  for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
    const auto& other = machine.gpus()[i];
    if (i != place && (other.uuid == wanted.uuid || other.pci.bus_id == wanted.pci.bus_id))
      return "GPU " + std::to_string(place) + " would have the uuid or the pci.bus_id of GPU " + std::to_string(i);
  }
  return {};
}

}  // namespace

std::string set(const Machine& machine, std::string_view gpus, Words words) {
  std::string problem;
  const auto places = select_gpus(machine, gpus, problem);
  if (places.empty()) return problem;
  if (words.empty()) return "expected PATH=VALUE, such as power.limit=300000";
  std::vector<Assignment> assignments(words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    if (problem = parse(words[i], assignments[i]); !problem.empty()) return problem;
  if (places.size() > 1 && (sets(assignments, "uuid") || sets(assignments, "pci.bus_id")))
    return "several GPUs cannot have one uuid or one pci.bus_id";
  return transaction::change_gpus(machine, places, [&](Gpu& gpu, std::size_t place) {
    const auto before = std::make_unique<Gpu>(gpu);
    for (const auto& assignment : assignments)
      if (auto wrong = assign(gpu, assignment); !wrong.empty()) return wrong;
    settle(gpu, assignments);
    if (const auto wrong = config::contradiction(gpu); !wrong.empty())
      return "GPU " + std::to_string(place) + ": " + wrong;
    if (auto wrong = check_identity(machine, place, gpu); !wrong.empty()) return wrong;
    telemetry::pin_changes(*before, gpu, [&](std::string_view path) { return sets(assignments, path); });
    return std::string();
  });
}

std::string release(const Machine& machine, std::string_view gpus, std::string_view path) {
  const auto wanted = path == "all" ? std::string() : full_path(path);
  if (!telemetry::is_live(wanted)) return quote(path) + " names no live value; see docs/guides/telemetry.md";
  std::string problem;
  const auto places = select_gpus(machine, gpus, problem);
  if (places.empty()) return problem;
  return transaction::change_gpus(machine, places, [&](Gpu& gpu, std::size_t) {
    telemetry::release(gpu, wanted);
    return std::string();
  });
}

}  // namespace nvmlkit::sim::steering
