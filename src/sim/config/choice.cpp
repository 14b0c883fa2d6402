#include "sim/config/choice.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sim/config/load.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::sim {
namespace config {
namespace {

std::optional<Setting> setting(const Environment& environment, const char* variable) {
  auto text = environment.get(variable);
  if (!text) return std::nullopt;
  return Setting{variable, std::move(*text)};
}

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

void add_setting(storage::Hash& hash, const std::optional<Setting>& setting) {
  hash.add(setting.has_value());
  if (setting) hash.add(std::string_view(setting->text));
}

// A machine file is its contents. A state file is the file itself: its contents change with every setter, and a file
// that replaces it has another number as long as this process maps the first.
void add_file(storage::Hash& hash, const char* path, Choice::Source source) {
  struct stat file {};
  if (stat(path, &file) != 0) return;
  hash.add(file.st_dev);
  hash.add(file.st_ino);
  if (source == Choice::Source::state_file) return;
  hash.add(file.st_size);
  hash.add(file.st_mtim.tv_sec);
  hash.add(file.st_mtim.tv_nsec);
}

}  // namespace

Choice choose(const Environment& environment) {
  using Source = Choice::Source;
  if (auto path = environment.get("NVMLKIT_STATE")) return {.source = Source::state_file, .name = std::move(*path)};
  Choice choice;
  choice.gpu_count = setting(environment, "NVMLKIT_GPU_COUNT");
  choice.pace = setting(environment, "NVMLKIT_TIME");
  choice.driver = setting(environment, "NVMLKIT_DRIVER");
  choice.seed = setting(environment, "NVMLKIT_SEED");
  if (auto machine = environment.get("NVMLKIT_MACHINE")) {
    choice.source = is_path(*machine) ? Source::machine_file : Source::builtin;
    choice.name = std::move(*machine);
  } else if (auto path = environment.get("MOCK_NVML_CONFIG")) {
    choice.source = Source::machine_file;
    choice.name = std::move(*path);
  } else {
    choice.name = "a100";
  }
  if (choice.source == Source::machine_file) return choice;
  if (!choice.gpu_count) choice.gpu_count = setting(environment, "MOCK_NVML_NUM_DEVICES");
  if (!choice.driver) choice.any_version = setting(environment, "MOCK_NVML_DRIVER_VERSION");
  return choice;
}

bool names_machine(const Environment& environment) {
  constexpr const char* kNaming[] = {"NVMLKIT_STATE", "NVMLKIT_MACHINE", "MOCK_NVML_CONFIG"};
  return std::any_of(std::begin(kNaming), std::end(kNaming),
                     [&](const char* name) { return environment.get(name).has_value(); });
}

}  // namespace config

Expected<std::uint64_t> machine_key(const Environment& environment) noexcept {
  try {
    const auto choice = config::choose(environment);
    storage::Hash hash;
    hash.add(choice.source);
    hash.add(std::string_view(choice.name));
    if (choice.source != config::Choice::Source::builtin) config::add_file(hash, choice.name.c_str(), choice.source);
    for (const auto* setting : {&choice.gpu_count, &choice.driver, &choice.any_version, &choice.pace, &choice.seed})
      config::add_setting(hash, *setting);
    return hash.value();
  } catch (...) {  // nothing else is thrown in here
    return fail({.kind = ProblemKind::out_of_memory});
  }
}

}  // namespace nvmlkit::sim
