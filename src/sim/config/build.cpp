#include "sim/config/build.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "sim/complete/complete.hpp"
#include "sim/config/check.hpp"
#include "sim/config/failing_functions.hpp"
#include "sim/config/known_mig.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/identity.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim::config {
namespace {

Expected<void> apply_to_gpu(const Node& node, model::Gpu& gpu, const Path& path, bool device) {
  return apply(node, model::descriptor<model::Gpu>(), reinterpret_cast<std::byte*>(&gpu), path, device);
}

class Build {
 public:
  Build(const Layers& layers, std::uint32_t gpu_count, std::string_view seed)
      : layers_(layers), seed_(seed), machine_(Machine::create(gpu_count)) {
    if (!machine_) throw std::bad_alloc();
  }

  Expected<std::unique_ptr<Machine>> machine(const Overrides& overrides) {
    auto& host = machine_->host();
    model::set_defaults(host);
    const auto& type = model::descriptor<model::Machine>();
    for (const auto& layer : layers_.all())
      if (auto good = apply(layer.root, type, reinterpret_cast<std::byte*>(&host), Path{}); !good)
        return fail(std::move(good.error()));
    if (overrides.driver_version) set_driver_version(*overrides.driver_version);
    if (auto good = fill_gpus(); !good) return fail(std::move(good.error()));
    if (overrides.driver_version)
      for (auto& gpu : machine_->gpus()) gpu.gsp_firmware.version = {};
    adopt_mig_profiles(*machine_);
    complete(*machine_, seed_);
    if (auto good = check_machine(layers_, *machine_); !good) return fail(std::move(good.error()));
    if (auto good = install_failing_functions(layers_, *machine_); !good) return fail(std::move(good.error()));
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

  static Expected<void> apply_defaults(const Layer& layer, model::Gpu& gpu) {
    if (!layer.defaults) return {};
    return apply_to_gpu(layer.defaults, gpu, Path::of({Owner::Kind::all_gpus, 0, 0}), false);
  }

  static Expected<void> apply_device(const Layer& layer, std::uint32_t index, model::Gpu& gpu) {
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
      gpu.serial = serial_after(seeded_serial(gpu.serial->view(), seed_), index);
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
  std::string_view seed_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace

Expected<std::unique_ptr<Machine>> build(const Layers& layers, const Overrides& overrides) {
  return Build(layers, overrides.gpu_count.value_or(layers.gpu_count()),
               overrides.seed ? std::string_view(*overrides.seed) : std::string_view())
      .machine(overrides);
}

}  // namespace nvmlkit::sim::config
