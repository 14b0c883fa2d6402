#include "sim/config/load.hpp"

#include <utility>

#include "sim/complete/complete.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/check.hpp"
#include "sim/config/choice.hpp"
#include "sim/config/failing_functions.hpp"
#include "sim/config/known_mig.hpp"
#include "sim/config/layers.hpp"
#include "sim/config/read_file.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/scalar.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/identity.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/file.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::sim {
namespace {

using config::Choice;
using config::Layers;
using config::Path;
using config::Setting;

using Loaded = Expected<std::unique_ptr<Machine>>;

detail::unexpected<Problem> fail_of(const Setting& setting, Problem problem) {
  return fail(std::move(problem).at({setting.variable, 0, 0}));
}

Expected<void> apply_to_gpu(const config::Node& node, model::Gpu& gpu, const Path& path, bool device) {
  return config::apply(node, model::descriptor<model::Gpu>(), reinterpret_cast<std::byte*>(&gpu), path, device);
}

class Build {
 public:
  Build(const Layers& layers, std::uint32_t gpu_count) : layers_(layers), machine_(Machine::create(gpu_count)) {
    if (!machine_) throw std::bad_alloc();
  }

  Loaded run(const Overrides& overrides) {
    auto& host = machine_->host();
    model::set_defaults(host);
    const auto& type = model::descriptor<model::Machine>();
    for (const auto& layer : layers_.all())
      if (auto good = config::apply(layer.root, type, reinterpret_cast<std::byte*>(&host), Path{}); !good)
        return fail(std::move(good.error()));
    if (overrides.driver_version) set_driver_version(*overrides.driver_version);
    if (auto good = fill_gpus(); !good) return fail(std::move(good.error()));
    if (overrides.driver_version)
      for (auto& gpu : machine_->gpus()) gpu.gsp_firmware.version = {};
    config::adopt_mig_profiles(*machine_);
    complete(*machine_);
    if (auto good = config::check_machine(layers_, *machine_); !good) return fail(std::move(good.error()));
    if (auto good = config::install_failing_functions(layers_, *machine_); !good) return fail(std::move(good.error()));
    state::update_attention(*machine_);
    if (overrides.pace) host.clock = host.clock.paced(real_time_ns(), *overrides.pace);
    telemetry::start(*machine_);
    return std::move(machine_);
  }

 private:
  // The machine's other versions belong to another driver.
  void set_driver_version(const std::string& version) {
    auto& system = machine_->system();
    system.driver_version = version;
    system.nvml_version = {};
    system.cuda_version = {};
    system.cuda_version_major = {};
    system.cuda_version_minor = {};
  }

  static Expected<void> apply_defaults(const config::Layer& layer, model::Gpu& gpu) {
    if (!layer.defaults) return {};
    return apply_to_gpu(layer.defaults, gpu, Path::of({Owner::Kind::all_gpus, 0, 0}), false);
  }

  static Expected<void> apply_device(const config::Layer& layer, std::uint32_t index, model::Gpu& gpu) {
    const auto* entry = layer.device(index);
    if (entry == nullptr) return {};
    return apply_to_gpu(entry->node, gpu, Path::of({Owner::Kind::entry, index, entry->position}), true);
  }

  Expected<void> fill_gpus() {
    const auto pattern = std::make_unique<model::Gpu>();  // a GPU without an entry of its own
    model::set_defaults(*pattern);
    for (const auto& layer : layers_.all())
      if (auto good = apply_defaults(layer, *pattern); !good) return good;
    std::size_t described = machine_->gpus().size();
    for (const auto& layer : layers_.all()) described = std::max(described, layer.devices.size());
    const auto unused = std::make_unique<model::Gpu>();  // entries beyond the count are checked all the same
    for (std::uint32_t index = 0; index < described; ++index) {
      auto& gpu = index < machine_->gpus().size() ? machine_->gpus()[index] : *unused;
      if (auto good = fill_gpu(index, gpu, *pattern); !good) return good;
    }
    return {};
  }

  Expected<void> fill_gpu(std::uint32_t index, model::Gpu& gpu, const model::Gpu& pattern) const {
    if (auto good = apply_layers(index, gpu, pattern); !good) return good;
    bool own = true;
    if (gpu.serial && layers_.stated_at(index, {"serial"}, &own) && !own)
      gpu.serial = serial_after(gpu.serial->view(), index);
    return {};
  }

  Expected<void> apply_layers(std::uint32_t index, model::Gpu& gpu, const model::Gpu& pattern) const {
    const auto& layers = layers_.all();
    const auto* entry = layers.back().device(index);
    bool entry_below = false;  // then its values lie between two layers of defaults
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) entry_below |= layers[i].device(index) != nullptr;
    const bool other_base = entry != nullptr && entry->base != nullptr;
    if (!other_base && !entry_below) {
      model::copy(gpu, pattern);
      return apply_device(layers.back(), index, gpu);
    }
    gpu = model::Gpu{};
    model::set_defaults(gpu);
    if (other_base) {
      for (const auto& layer : entry->base->all())
        if (auto good = apply_defaults(layer, gpu); !good) return good;
      if (auto good = apply_defaults(layers.back(), gpu); !good) return good;
      return apply_device(layers.back(), index, gpu);
    }
    for (const auto& layer : layers) {
      if (auto good = apply_defaults(layer, gpu); !good) return good;
      if (auto good = apply_device(layer, index, gpu); !good) return good;
    }
    return {};
  }

  const Layers& layers_;
  std::unique_ptr<Machine> machine_;
};

Loaded build(std::string_view file, std::string_view text, const Overrides& overrides) {
  const auto layers = Layers::of(file, text);
  if (!layers) return fail(layers.error());
  return Build(*layers, overrides.gpu_count.value_or(layers->gpu_count())).run(overrides);
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
  const auto number = config::parse_integer(setting.text);
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
