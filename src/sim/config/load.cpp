#include "sim/config/load.hpp"

#include <utility>

#include "sim/config/build.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/choice.hpp"
#include "sim/config/layers.hpp"
#include "sim/config/packed.hpp"
#include "sim/config/read_file.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/file.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/text/scalar.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::sim {
namespace {

using config::Choice;
using config::Layers;
using config::Setting;

using Loaded = Expected<std::unique_ptr<Machine>>;

detail::unexpected<Problem> fail_of(const Setting& setting, Problem problem) {
  return fail(std::move(problem).at({setting.variable, 0, 0}));
}

// From now on time passes on the machine.
std::unique_ptr<Machine> start(std::unique_ptr<Machine> machine, const Overrides& overrides) {
  state::update_attention(*machine);
  auto& clock = machine->host().clock;
  if (overrides.pace) clock = clock.paced(real_time_ns(), *overrides.pace);
  telemetry::start(*machine);
  return machine;
}

Loaded build(std::string_view file, std::string_view text, const Overrides& overrides) {
  const auto layers = Layers::of(file, text);
  if (!layers) return fail(layers.error());
  auto machine = config::build(*layers, overrides);
  if (!machine) return machine;
  return start(std::move(*machine), overrides);
}

Loaded build_from_file(const std::string& path, const Overrides& overrides) {
  const auto text = config::read_file(path);
  return text ? build(path, *text, overrides) : fail(text.error());
}

// Runs what may run out of memory.
template <class Work>
Loaded guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (...) {  // nothing else is thrown in here
    return fail({.kind = ProblemKind::out_of_memory});
  }
}

Expected<std::uint32_t> count_from(const Setting& setting) {
  const auto number = text::parse_integer(setting.text);
  if (!number || number->negative || number->magnitude > kMaxGpus)
    return fail_of(setting, wrong_value("0 to " + std::to_string(kMaxGpus), quote(setting.text)));
  return static_cast<std::uint32_t>(number->magnitude);
}

Expected<double> pace_from(const Setting& setting) {
  const auto pace = parse_pace(setting.text);
  if (!pace) return fail_of(setting, wrong_value(kPaceWords, quote(setting.text)));
  return *pace;
}

Expected<std::string> driver_from(const Setting& setting) {
  auto version = driver_version_of(setting.text);
  if (!version) return fail_of(setting, unknown_driver(setting.text));
  return *std::move(version);
}

// A version that the Go mock's users give, of any form.
Expected<std::string> version_from(const Setting& setting) {
  constexpr auto kLongest = decltype(model::System::driver_version.value)::max_size();
  const auto size = setting.text.size();
  if (size > kLongest)
    return fail_of(setting, wrong_value("at most " + std::to_string(kLongest) + " bytes", std::to_string(size)));
  return setting.text;
}

// Reads a setting into `target`, if there is one.
template <class T>
Expected<void> take(std::optional<T>& target, const std::optional<Setting>& setting,
                    Expected<T> (*read)(const Setting&)) {
  if (!setting) return {};
  auto value = read(*setting);
  if (!value) return fail(std::move(value.error()));
  target = *std::move(value);
  return {};
}

Expected<Overrides> overrides_of(const Choice& choice) {
  Overrides out;
  if (auto good = take(out.gpu_count, choice.gpu_count, count_from); !good) return fail(std::move(good.error()));
  if (auto good = take(out.pace, choice.pace, pace_from); !good) return fail(std::move(good.error()));
  if (choice.seed) out.seed = choice.seed->text;
  if (auto good = take(out.driver_version, choice.driver, driver_from); !good) return fail(std::move(good.error()));
  if (auto good = take(out.driver_version, choice.any_version, version_from); !good)
    return fail(std::move(good.error()));
  return out;
}

Loaded load(const Choice& choice) {
  if (choice.source == Choice::Source::state_file) {
    auto machine = state::attach(choice.name);
    if (!machine) machine.error().place.named_by = "NVMLKIT_STATE";
    return machine;
  }
  const auto overrides = overrides_of(choice);
  if (!overrides) return fail(overrides.error());
  if (choice.source == Choice::Source::machine_file) return build_from_file(choice.name, *overrides);
  const auto* packed = config::find_packed_machine(choice.name);
  const bool as_packed = packed != nullptr && !overrides->driver_version && !overrides->seed &&
                         overrides->gpu_count.value_or(packed->gpus) == packed->gpus;
  if (as_packed) return start(config::unpack(*packed), *overrides);
  const std::string_view text = builtin_machine_text(choice.name);
  if (text.empty()) return fail(unknown_machine(choice.name).at({"NVMLKIT_MACHINE", 0, 0}));
  return build("built-in " + choice.name, text, *overrides);
}

}  // namespace

Loaded load_machine(const Environment& environment) noexcept {
  return guarded([&] { return load(config::choose(environment)); });
}

Loaded read_machine(std::string_view file, std::string_view text, const Overrides& overrides) noexcept {
  return guarded([&] { return build(file, text, overrides); });
}

Loaded read_machine_file(const std::string& path, const Overrides& overrides) noexcept {
  return guarded([&] { return build_from_file(path, overrides); });
}

}  // namespace nvmlkit::sim
