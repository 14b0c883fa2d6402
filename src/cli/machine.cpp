#include "cli/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/generated/model_descriptors.hpp"

namespace nvmlkit::cli {
namespace {

std::vector<std::string> variables_of_the_mock() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (variable.starts_with("MOCK_NVML_")) names.emplace_back(variable.substr(0, variable.find('=')));
  }
  return names;
}

// The word that machine files use.
std::string architecture_word(const sim::model::Gpu& gpu) {
  if (gpu.architecture) {
    const auto value = static_cast<std::uint32_t>(*gpu.architecture);
    for (const auto& word : sim::model::descriptor<sim::model::Gpu>().find("architecture")->words()) {
      if (word.value == value) return std::string(word.word());
    }
  }
  return "unknown";
}

}  // namespace

void export_choice(const MachineChoice& choice) {
  if (!choice.machine.empty()) {
    for (const std::string& name : variables_of_the_mock()) unsetenv(name.c_str());
    unsetenv("NVMLKIT_GPU_COUNT");
    unsetenv("NVMLKIT_DRIVER");
    unsetenv("NVMLKIT_STATE");
    setenv("NVMLKIT_MACHINE", choice.machine.c_str(), 1);
  }
  if (!choice.driver.empty()) setenv("NVMLKIT_DRIVER", choice.driver.c_str(), 1);
  if (choice.gpu_count) setenv("NVMLKIT_GPU_COUNT", std::to_string(*choice.gpu_count).c_str(), 1);
}

std::string list_models(const sim::Machine& machine) {
  std::vector<std::pair<std::string_view, std::size_t>> models;
  for (const auto& gpu : machine.gpus()) {
    const auto name = gpu.name ? gpu.name->view() : std::string_view();
    const auto known =
        std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.first == name; });
    if (known == models.end())
      models.emplace_back(name, 1);
    else
      ++known->second;
  }
  const std::size_t named = models.size() > 4 ? 3 : models.size();
  std::string out = models.empty() ? "0" : "";
  std::size_t others = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (i < named)
      out += fmt::format("{}{} x {}", i == 0 ? "" : ", ", models[i].second, models[i].first);
    else
      others += models[i].second;
  }
  if (others != 0) out += fmt::format(", {} of {} other models", others, models.size() - named);
  return out;
}

sim::Expected<MachineSummary> inspect(const sim::Environment& environment) {
  const auto loaded = sim::load_machine(environment);
  if (!loaded) return sim::fail(loaded.error());
  const auto& machine = *loaded;
  MachineSummary summary;
  summary.gpu_count = machine->gpus().size();
  summary.gpus = list_models(*machine);
  if (const auto& driver = machine->system().driver_version) summary.driver_version = driver->view();
  if (summary.gpu_count > 0) {
    const auto& gpu = machine->gpus().front();
    if (gpu.name) summary.gpu_name = gpu.name->view();
    summary.memory_bytes = gpu.memory.total_bytes.value_or(0);
    summary.architecture = architecture_word(gpu);
  }
  return summary;
}

}  // namespace nvmlkit::cli
