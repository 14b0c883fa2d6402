#include <algorithm>

#include "sim/config/check.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/problem/names.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/paths.hpp"
#include "sim/steering/selector.hpp"
#include "sim/telemetry/pins.hpp"
#include "sim/transaction/change.hpp"

namespace nvmlkit::sim::steering {
namespace {

using model::Gpu;

struct Assignment {
  std::string path, value;
};

Expected<Assignment> parse(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return fail(wrong_value("PATH=VALUE", quote(text)));
  Assignment out{full_path(text.substr(0, equals)), text.substr(equals + 1)};
  const auto strange = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
  };
  const auto& path = out.path;
  if (std::any_of(path.begin(), path.end(), strange) || path.find("..") != std::string::npos || path.ends_with('.'))
    return fail(wrong_value("a path such as power.limit_mw", quote(path)));
  if (out.value.empty() || out.value.find('\n') != std::string::npos)
    return fail(wrong_value("a value in " + quote(text)));
  return out;
}

Expected<void> assign(Gpu& gpu, const Assignment& assignment) {
  return config::assign(model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), assignment.path,
                        assignment.value);
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
Expected<void> check_identity(const Machine& machine, std::size_t place, const Gpu& wanted) {
  if (!wanted.uuid || !wanted.pci.bus_id)
    return fail({.kind = ProblemKind::missing, .what = "a GPU needs its uuid and pci.bus_id"});
  for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
    const auto& other = machine.gpus()[i];
    if (i != place && (other.uuid == wanted.uuid || other.pci.bus_id == wanted.pci.bus_id))
      return fail({.kind = ProblemKind::duplicate,
                   .what = "GPU " + std::to_string(place) + " would have the uuid or the pci.bus_id of GPU " +
                           std::to_string(i)});
  }
  return {};
}

Expected<std::vector<Assignment>> parse_all(Words words, bool of_several) {
  if (words.empty()) return fail(missing("PATH=VALUE, such as power.limit=300000"));
  std::vector<Assignment> out;
  for (const auto& word : words) {
    auto assignment = parse(word);
    if (!assignment) return fail(std::move(assignment.error()));
    out.push_back(std::move(*assignment));
  }
  if (of_several && (sets(out, "uuid") || sets(out, "pci.bus_id")))
    return fail({.kind = ProblemKind::duplicate, .what = "several GPUs cannot have one uuid or one pci.bus_id"});
  return out;
}

}  // namespace

Expected<void> set(const Machine& machine, std::string_view gpus, Words words) {
  const auto places = select_gpus(machine, gpus);
  if (!places) return fail(places.error());
  const auto assignments = parse_all(words, places->size() > 1);
  if (!assignments) return fail(assignments.error());
  return transaction::change_gpus(machine, *places, [&](Gpu& gpu, std::size_t place) -> Expected<void> {
    const auto before = std::make_unique<Gpu>(gpu);
    for (const auto& assignment : *assignments)
      if (auto done = assign(gpu, assignment); !done) return done;
    settle(gpu, *assignments);
    if (auto good = config::check_values(gpu); !good)
      return fail(std::move(good.error()).of_gpu(static_cast<std::uint32_t>(place)));
    if (auto good = check_identity(machine, place, gpu); !good) return good;
    telemetry::pin_changes(*before, gpu, [&](std::string_view path) { return sets(*assignments, path); });
    return {};
  });
}

Expected<void> release(const Machine& machine, std::string_view gpus, std::string_view path) {
  const auto wanted = path == "all" ? std::string() : full_path(path);
  if (!telemetry::is_live(wanted))
    return fail({.kind = ProblemKind::unknown_name,
                 .what = quote(path) + " names no live value",
                 .hint = "see docs/guides/telemetry.md"});
  const auto places = select_gpus(machine, gpus);
  if (!places) return fail(places.error());
  return transaction::change_gpus(machine, *places, [&](Gpu& gpu, std::size_t) -> Expected<void> {
    telemetry::release(gpu, wanted);
    return {};
  });
}

}  // namespace nvmlkit::sim::steering
