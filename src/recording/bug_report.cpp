// The archive of nvidia-bug-report.sh: outputs of nvidia-smi -q, each a sample, and the kernel log.
#include <span>

#include "recording/cell.hpp"
#include "recording/kernel_lines.hpp"
#include "recording/read.hpp"
#include "recording/times.hpp"
#include "sim/text/scalar.hpp"
#include "smi_log/pasted.hpp"
#include "smi_log/text.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::recording {
namespace {

std::optional<double> number_of_yaml(std::string_view yaml) {
  if (const auto flag = sim::text::parse_bool(yaml)) return *flag ? 1 : 0;
  if (yaml.size() > 1 && yaml.front() == '"' && yaml.back() == '"') yaml = yaml.substr(1, yaml.size() - 2);
  return is_absent(yaml) ? std::nullopt : number_of_cell(yaml);
}

void take_log(const smi_log::Log& log, const smi_log::MachineValues& machine, Recording& out) {
  const auto* stamp = log.root.find("Timestamp");
  const auto at = stamp != nullptr ? time_of(stamp->value) : std::nullopt;
  out.dated |= at.has_value();
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus) {
    GpuName name;
    name.index = index++;
    name.bus_id = gpu.bus_id;
    if (const auto uuid = yaml_at(gpu.values, "uuid"); uuid.size() > 2) name.uuid = uuid.substr(1, uuid.size() - 2);
    const auto place = out.gpu_of(name);
    for (std::size_t i = 0; i < kQuantities; ++i) {
      const auto& row = row_of(static_cast<Quantity>(i));
      if (row.path.empty()) continue;
      const auto value = number_of_yaml(yaml_at(gpu.values, std::string(row.path)));
      if (value) out.add(at.value_or(0), place, {row.path, row.quantity}, *value);
    }
  }
}

}  // namespace

Expected<void> read_bug_report(const std::string& file, std::string_view text, Recording& out) {
  const auto printed = smi_log::as_printed(std::string(text));
  const auto lines = smi_log::lines_of(printed);
  const std::span<const smi_log::Line> all(lines);
  KernelLines kernel(out);
  for (std::size_t at = 0; at < all.size();) {
    if (!smi_log::starts_text_log(all[at].text)) {
      kernel.take(all[at++].text);
      continue;
    }
    std::size_t used = 0;
    const auto log = smi_log::read_text_log(file, all.subspan(at), used);
    if (!log) return sim::fail(log.error());
    smi_log::MachineValues machine;
    if (auto added = smi_log::add_log(*log, machine); !added) return sim::fail(std::move(added.error()));
    take_log(*log, machine, out);
    at += std::max<std::size_t>(used, 1);
  }
  return {};
}

}  // namespace nvmlkit::recording
