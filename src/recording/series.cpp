#include "recording/series.hpp"

#include <initializer_list>

#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

constexpr std::string_view kDcgmDevice = "DCGM_FI_DEV_", kDcgmProfile = "DCGM_FI_PROF_", kSmi = "nvidia_smi_";

std::string first_of(const Series& series, std::initializer_list<std::string_view> keys) {
  for (const auto key : keys)
    if (auto value = series.label(key); !value.empty()) return value;
  return {};
}

std::string with_prefix(std::string uuid) {
  constexpr std::size_t kBare = 36;
  return uuid.size() == kBare ? "GPU-" + uuid : uuid;
}

GpuName gpu_name_of(const Series& series) {
  GpuName out;
  out.host = first_of(series, {"Hostname", "hostname", "node", "instance"});
  out.index = sim::text::number_of<std::uint32_t>(first_of(series, {"gpu", "index"}));
  out.uuid = with_prefix(first_of(series, {"UUID", "uuid"}));
  out.bus_id = series.label("pci_bus_id");
  out.model = first_of(series, {"modelName", "name"});
  return out;
}

const Name* name_of_series(const std::string& name) {
  const std::string_view text = name;
  if (text.starts_with(kDcgmDevice)) return find_name(dcgm_metrics(), text.substr(kDcgmDevice.size()));
  if (text.starts_with(kDcgmProfile)) return find_name(dcgm_metrics(), text.substr(kDcgmProfile.size()));
  return text.starts_with(kSmi) ? find_name(smi_metrics(), text.substr(kSmi.size())) : nullptr;
}

bool is_of_gpu(const Series& series) { return series.name.starts_with("DCGM_FI_") || series.name.starts_with(kSmi); }

}  // namespace

std::string Series::label(std::string_view key) const {
  for (const auto& [name_of_label, value] : labels)
    if (name_of_label == key) return value;
  return {};
}

std::optional<Target> target_of(const Series& series, Recording& out) {
  if (!is_of_gpu(series)) return {};
  const auto gpu = gpu_name_of(series);
  if (!gpu.index && gpu.uuid.empty() && gpu.bus_id.empty()) return {};
  const auto* name = name_of_series(series.name);
  // A MIG device has utilization of its own, which is none of its GPU.
  const bool of_instance = !series.label("GPU_I_ID").empty();
  if (series.name == "nvidia_smi_gpu_info") out.gpu_of(gpu);
  if (name == nullptr || of_instance) {
    ++out.not_replayed[of_instance ? series.name + " of a MIG device" : series.name];
    return {};
  }
  return Target{name, out.gpu_of(gpu)};
}

}  // namespace nvmlkit::recording
