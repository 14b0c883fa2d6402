#include "sim/config/load.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "sim/complete/complete.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/check.hpp"
#include "sim/config/failing_functions.hpp"
#include "sim/config/known_mig.hpp"
#include "sim/config/layers.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/scalar.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/identity.hpp"
#include "sim/model/value.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/file.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::sim {
namespace {

using config::Layers;
using config::Path;

constexpr std::size_t kLargestFile = std::size_t{16} << 20;
constexpr const char* kTooLarge = "expected at most 16 MiB";

[[noreturn]] void fail(std::string what, std::string message) {
  throw ConfigFailure{{std::move(what), 0, 0, std::move(message)}};
}

void apply_to_gpu(const config::Node& node, model::Gpu& gpu, const Path& path, bool device) {
  config::apply(node, model::descriptor<model::Gpu>(), reinterpret_cast<std::byte*>(&gpu), path, device);
}

class Build {
 public:
  Build(const Layers& layers, std::uint32_t gpu_count) : layers_(layers), machine_(Machine::create(gpu_count)) {
    if (!machine_) throw std::bad_alloc();
  }

  std::unique_ptr<Machine> run(const Overrides& overrides) {
    auto& host = machine_->host();
    model::set_defaults(host);
    for (const auto& layer : layers_.all())
      config::apply(layer.root, model::descriptor<model::Machine>(), reinterpret_cast<std::byte*>(&host), top_);
    if (overrides.driver_version) set_driver_version(*overrides.driver_version);
    fill_gpus();
    if (overrides.driver_version)
      for (auto& gpu : machine_->gpus()) gpu.gsp_firmware.version = {};
    config::adopt_mig_profiles(*machine_);
    complete(*machine_);
    config::check_machine(layers_, *machine_);
    config::install_failing_functions(layers_, *machine_);
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

  void apply_defaults(const config::Layer& layer, model::Gpu& gpu) const {
    if (layer.defaults) apply_to_gpu(layer.defaults, gpu, Path{&top_, "device_defaults", 0}, false);
  }

  void apply_device(const config::Layer& layer, std::uint32_t index, model::Gpu& gpu) const {
    const auto* entry = layer.device(index);
    if (entry == nullptr) return;
    const Path list{&top_, "devices", 0}, item{&list, {}, entry->position};
    apply_to_gpu(entry->node, gpu, item, true);
  }

  void fill_gpus() {
    const auto pattern = std::make_unique<model::Gpu>();  // a GPU without an entry of its own
    model::set_defaults(*pattern);
    for (const auto& layer : layers_.all()) apply_defaults(layer, *pattern);
    std::size_t described = machine_->gpus().size();
    for (const auto& layer : layers_.all()) described = std::max(described, layer.devices.size());
    const auto unused = std::make_unique<model::Gpu>();  // entries beyond the count are checked all the same
    for (std::uint32_t index = 0; index < described; ++index) {
      auto& gpu = index < machine_->gpus().size() ? machine_->gpus()[index] : *unused;
      fill_gpu(index, gpu, *pattern);
    }
  }

  void fill_gpu(std::uint32_t index, model::Gpu& gpu, const model::Gpu& pattern) const {
    const auto& layers = layers_.all();
    const auto* entry = layers.back().device(index);
    bool entry_below = false;  // then its values lie between two layers of defaults
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) entry_below |= layers[i].device(index) != nullptr;
    if (entry != nullptr && entry->base != nullptr) {
      gpu = model::Gpu{};
      model::set_defaults(gpu);
      for (const auto& layer : entry->base->all()) apply_defaults(layer, gpu);
      apply_defaults(layers.back(), gpu);
      apply_device(layers.back(), index, gpu);
    } else if (!entry_below) {
      model::copy(gpu, pattern);
      apply_device(layers.back(), index, gpu);
    } else {
      gpu = model::Gpu{};
      model::set_defaults(gpu);
      for (const auto& layer : layers) {
        apply_defaults(layer, gpu);
        apply_device(layer, index, gpu);
      }
    }
    bool own = true;
    if (gpu.serial && layers_.stated_at(index, {"serial"}, &own) && !own)
      gpu.serial = serial_after(gpu.serial->view(), index);
  }

  Path top_;
  const Layers& layers_;
  std::unique_ptr<Machine> machine_;
};

std::unique_ptr<Machine> build(std::string_view file, std::string_view text, const Overrides& overrides) {
  const Layers layers(file, text);
  return Build(layers, overrides.gpu_count.value_or(layers.gpu_count())).run(overrides);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// A descriptor that closes itself, also when an allocation throws.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

// Regular files only: a pipe or a terminal would keep the program that loads us waiting.
std::string read_file(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0)
    fail(path, "cannot be read: " + std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) fail(path, std::string("expected a file, got ") + kind_of(status.st_mode));
  if (status.st_size > static_cast<off_t>(kLargestFile)) fail(path, kTooLarge);
  std::string text;
  while (true) {
    const std::size_t had = text.size();
    if (had > kLargestFile) break;
    constexpr std::size_t kStep = std::size_t{64} << 10;
    text.resize(had + kStep);
    ssize_t got = 0;
    do got = read(file.number, text.data() + had, kStep);
    while (got < 0 && errno == EINTR);
    const int problem = errno;
    text.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0) fail(path, "cannot be read: " + std::generic_category().message(problem));
    if (got == 0) break;
  }
  if (text.size() > kLargestFile) fail(path, kTooLarge);
  return text;
}

// Runs what may throw and turns what it throws into an error.
template <class Work>
std::unique_ptr<Machine> guarded(ConfigError& error, Work&& work) noexcept {
  try {
    try {
      return work();
    } catch (ConfigFailure& failure) {
      error = std::move(failure.error);
    } catch (const std::bad_alloc&) {
      error = {{}, 0, 0, "out of memory"};
    } catch (const std::exception& e) {
      error = {{}, 0, 0, e.what()};
    }
  } catch (...) {  // no memory for the message either
  }
  return nullptr;
}

std::optional<std::uint32_t> count_from(const Environment& environment, const char* name) {
  const auto text = environment.get(name);
  if (!text) return std::nullopt;
  const auto number = config::parse_integer(*text);
  if (!number || number->negative || number->magnitude > kMaxGpus)
    fail(name, "expected 0 to " + std::to_string(kMaxGpus) + ", got " + config::quote(*text));
  return static_cast<std::uint32_t>(number->magnitude);
}

std::optional<double> pace_from(const Environment& environment, const char* name) {
  const auto text = environment.get(name);
  if (!text) return std::nullopt;
  const auto pace = parse_pace(*text);
  if (!pace) fail(name, std::string(kPaceWords) + ", got " + config::quote(*text));
  return pace;
}

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

std::unique_ptr<Machine> load_shared(const std::string& path) {
  std::string error;
  auto machine = state::attach(path, error);
  if (!machine) fail("NVMLKIT_STATE", error);
  return machine;
}

std::unique_ptr<Machine> load(const Environment& environment) {
  if (const auto path = environment.get("NVMLKIT_STATE")) return load_shared(*path);
  Overrides overrides;
  auto machine = environment.get("NVMLKIT_MACHINE");
  const bool from_file = machine ? is_path(*machine) : environment.get("MOCK_NVML_CONFIG").has_value();
  overrides.gpu_count = count_from(environment, "NVMLKIT_GPU_COUNT");
  overrides.pace = pace_from(environment, "NVMLKIT_TIME");
  if (const auto driver = environment.get("NVMLKIT_DRIVER")) {
    overrides.driver_version = driver_version_of(*driver);
    if (!overrides.driver_version)
      fail("NVMLKIT_DRIVER",
           "expected a branch (" + list_driver_branches() + ") or a version, got " + config::quote(*driver));
  }
  if (from_file) {
    const std::string path = machine ? *machine : *environment.get("MOCK_NVML_CONFIG");
    return build(path, read_file(path), overrides);
  }
  if (!overrides.gpu_count) overrides.gpu_count = count_from(environment, "MOCK_NVML_NUM_DEVICES");
  if (!overrides.driver_version) overrides.driver_version = environment.get("MOCK_NVML_DRIVER_VERSION");
  if (overrides.driver_version &&
      overrides.driver_version->size() > decltype(model::System::driver_version.value)::max_size())
    fail("MOCK_NVML_DRIVER_VERSION",
         "expected at most 79 bytes, got " + std::to_string(overrides.driver_version->size()));
  const std::string name = machine.value_or("a100");
  const std::string_view text = builtin_machine_text(name);
  if (text.empty()) {
    std::vector<std::string_view> names;
    for (const auto& builtin : list_builtin_machines()) names.push_back(builtin.name);
    fail("NVMLKIT_MACHINE", "unknown machine " + config::quote(name) + config::hint(name, names));
  }
  return build("built-in " + name, text, overrides);
}

}  // namespace

std::unique_ptr<Machine> load_machine(const Environment& environment, std::string& error) noexcept {
  ConfigError problem;
  auto machine = guarded(problem, [&] { return load(environment); });
  if (!machine) {
    try {
      error = problem.text();
    } catch (...) {
    }
  }
  return machine;
}

std::unique_ptr<Machine> read_machine(std::string_view file, std::string_view text, ConfigError& error,
                                      const Overrides& overrides) noexcept {
  return guarded(error, [&] { return build(file, text, overrides); });
}

std::unique_ptr<Machine> read_machine_file(const std::string& path, ConfigError& error,
                                           const Overrides& overrides) noexcept {
  return guarded(error, [&] { return build(path, read_file(path), overrides); });
}

}  // namespace nvmlkit::sim
