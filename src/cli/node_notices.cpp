#include "cli/node_notices.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include "cli/command_error.hpp"
#include "cli/whole_file.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDriverVersion = "/proc/driver/nvidia/version";
constexpr const char* kRootInComponents = "/driver-root";

// The folder by which the components of NVIDIA's GPU operator wait for each other. The container of a driver writes the
// first file, with what else it has, as YAML. The validator waits for it, and writes the second one: variables of a
// shell, with the driver root of the node and the place where the operator mounts it in containers of the components.
std::map<std::string, std::string> validations(const fs::path& root) {
  return {{".driver-ctr-ready", "GDRCOPY_ENABLED: false\nGDS_ENABLED: false\nGPU_DIRECT_RDMA_ENABLED: false\n"},
          {"driver-ready",
           fmt::format("IS_HOST_DRIVER=false\nNVIDIA_DRIVER_ROOT={0}\nDRIVER_ROOT_CTR_PATH={1}\nNVIDIA_DEV_ROOT={0}\n"
                       "DEV_ROOT_CTR_PATH={1}\n",
                       root.string(), kRootInComponents)}};
}

// The labels that Node Feature Discovery makes from PCI devices. It reads those of the host, which has no such device.
// One label is by vendor, as the GPU operator wants it, the other by class and vendor, as is usual.
std::string features_text(const sim::Machine& machine) {
  constexpr std::uint32_t kNvidia = 0x10de;
  std::set<std::string> lines;
  for (const auto& gpu : machine.gpus()) {
    lines.insert(fmt::format("pci-{:04x}.present=true\n", kNvidia));
    lines.insert(fmt::format("pci-{:02x}{:02x}_{:04x}.present=true\n", gpu.pci.base_class.value_or(3),
                             gpu.pci.sub_class.value_or(2), kNvidia));
  }
  std::string out;
  for (const auto& line : lines) out += line;
  return out;
}

}  // namespace

void write_notices(const NoticeOptions& options, const fs::path& root, const sim::Machine& machine) {
  if (!options.validations.empty())
    for (const auto& [name, text] : validations(root)) write_whole(options.validations / fs::path(name), text);
  if (!options.features.empty()) write_whole(options.features, features_text(machine));
}

void remove_notices(const NoticeOptions& options) {
  std::error_code error;
  if (!options.validations.empty())
    for (const auto& [name, text] : validations({})) fs::remove(options.validations / fs::path(name), error);
  if (!options.features.empty()) fs::remove(options.features, error);
}

void refuse_real_driver() {
  std::ifstream file(kDriverVersion);
  std::string version;
  if (!file || !std::getline(file, version)) return;
  throw CommandError({.kind = sim::ProblemKind::impossible,
                      .what = fmt::format("this host has NVIDIA's kernel driver ({})", version),
                      .hint = "choose hosts without a GPU, or leave out --no-real-driver",
                      .place = {.file = kDriverVersion}});
}

}  // namespace nvmlkit::cli
