// nvmlkit list
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nvmlkit/nvml.hpp>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/library.hpp"

namespace nvmlkit::cli {
namespace {

// Of a GPU that does not answer, its index and the driver's words.
using GpuRow = std::vector<std::string>;
constexpr std::size_t kColumns = 5;

GpuRow row_of_gpu(const nvml::Library& library, unsigned int index) try {
  const auto device = library.device(index).value();
  return {std::to_string(index), device.name().value(), device.uuid().value(), device.pci_info().value().bus_id,
          fmt::format("{} MiB", device.memory_info().value().total.count() >> 20)};
} catch (const nvml::Error& error) {
  return {std::to_string(index), library.driver_text(error.errc()).value_or(error.what())};
}

void print_gpu_rows(const std::vector<GpuRow>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const GpuRow& row : rows)
    for (std::size_t i = 0; row.size() == kColumns && i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const GpuRow& row : rows)
    if (row.size() < kColumns)
      fmt::print("{:<{}}  {}\n", row[0], widths[0], row[1]);
    else
      fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}\n", row[0], widths[0], row[1], widths[1], row[2], widths[2],
                 row[3], widths[3], row[4], widths[4]);
}

int list_gpus(const MachineOptions& options) {
  options.export_all();
  nvml::OpenOptions open;
  open.load.path = checked_driver() / "libnvidia-ml.so.1";
  const auto library = open_library(open);
  std::vector<GpuRow> rows{{"GPU", "Name", "UUID", "Bus id", "Memory"}};
  for (unsigned int index = 0; index < library.device_count().value(); ++index)
    rows.push_back(row_of_gpu(library, index));
  print_gpu_rows(rows);
  return 0;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "List the GPUs of a machine",
          .group = Group::machines,
          .examples = {{"nvmlkit list -m h100 -n 2", "two GPUs of the built-in machine h100"},
                       {"nvmlkit list --name test-7", "those of a machine that is up"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<MachineOptions>();
            options->declare(arguments);
            return [options] { return list_gpus(*options); };
          }};
}

}  // namespace nvmlkit::cli
