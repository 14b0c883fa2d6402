#include "smi/gpu.hpp"

#include <fmt/format.h>

#include <charconv>

namespace nvmlkit::smi {

using nvml::Errc;
using nvml::Result;

Version parse_version(std::string_view text) {
  Version version;
  const char* end = text.data() + text.size();
  const auto [dot, problem] = std::from_chars(text.data(), end, version.branch);
  if (problem == std::errc() && dot != end) std::from_chars(dot + 1, end, version.minor);
  return version;
}

Host::Host(nvml::Library opened) : library(std::move(opened)), private_table(library) {
  if (const auto text = library.driver_version()) driver_version = *text;
  const auto cuda = library.cuda_driver_version();
  cuda_version = cuda ? fmt::format("{}.{}", *cuda / 1000, *cuda % 1000 / 10) : "Not Found";
  version = parse_version(driver_version);
}

Gpu::Gpu(const Host& host, unsigned index, nvml::Device device)
    : host_(&host), index_(index), device_(std::move(device)) {}

const Result<nvml::PciInfo>& Gpu::pci() const {
  return pci_.get([&] { return device_.pci_info(); });
}
const Result<nvml::PciInfoExt>& Gpu::pci_ext() const {
  return pci_ext_.get([&] { return device_.pci_info_ext(); });
}
const Result<nvml::Memory>& Gpu::memory() const {
  return memory_.get([&] { return device_.memory_info(); });
}
const Result<nvml::Bar1Memory>& Gpu::bar1() const {
  return bar1_.get([&] { return device_.bar1_memory_info(); });
}
const Result<nvml::Memory>& Gpu::protected_memory() const {
  return protected_memory_.get([&] { return device_.conf_compute_protected_memory_usage(); });
}
const Result<nvml::Utilization>& Gpu::utilization() const {
  return utilization_.get([&] { return device_.utilization_rates(); });
}
const Result<nvml::Device::MigMode>& Gpu::mig_mode() const {
  return mig_mode_.get([&] { return device_.mig_mode(); });
}
const Result<nvml::Device::EccMode>& Gpu::ecc_mode() const {
  return ecc_mode_.get([&] { return device_.ecc_mode(); });
}
const Result<nvml::EccSramErrorStatus>& Gpu::sram() const {
  return sram_.get([&] { return device_.sram_ecc_error_status(); });
}
const Result<nvml::RemappedRows>& Gpu::remapped_rows() const {
  return remapped_rows_.get([&] { return device_.remapped_rows(); });
}
const Result<nvml::RowRemapperHistogram>& Gpu::histogram() const {
  return histogram_.get([&] { return device_.row_remapper_histogram(); });
}
const Result<nvml::BankRemapperStatus>& Gpu::remapped_banks() const {
  return remapped_banks_.get([&] { return device_.bank_remapper_status(); });
}
const Result<nvml::PlatformInfo>& Gpu::platform() const {
  return platform_.get([&] { return device_.platform_info(); });
}
const Result<nvml::GpuFabricInfo>& Gpu::fabric() const {
  return fabric_.get([&] { return device_.gpu_fabric_info(); });
}
const Result<nvml::ClocksEventReasons>& Gpu::reasons() const {
  return reasons_.get([&] { return device_.current_clocks_event_reasons(); });
}
const Result<nvml::Device::EncoderStats>& Gpu::encoder() const {
  return encoder_.get([&] { return device_.encoder_stats(); });
}
const Result<nvml::FbcStats>& Gpu::fbc() const {
  return fbc_.get([&] { return device_.fbc_stats(); });
}
const Result<nvml::Architecture>& Gpu::architecture() const {
  return architecture_.get([&] { return device_.architecture(); });
}
const Result<AtomicCapabilities>& Gpu::atomics() const {
  return atomics_.get([&] { return private_table().pcie_atomics(device_); });
}
const Result<nvml::Device::DramEncryption>& Gpu::dram_encryption() const {
  return dram_encryption_.get([&] { return device_.dram_encryption_mode(); });
}
const Result<nvml::CurrentWorkloadPowerProfiles>& Gpu::power_profiles() const {
  return power_profiles_.get([&] { return device_.workload_power_profile_current_profiles(); });
}

// The public function came after the private one, and is the only one that newer drivers are known to have.
const Result<nvml::Celsius>& Gpu::margin() const {
  return margin_.get([&]() -> Result<nvml::Celsius> {
    const auto answer = device_.margin_temperature();
    if (answer) return answer->margin_temperature;
    if (answer.error() == Errc::function_not_found) return private_table().temperature_margin(device_);
    return answer.error();
  });
}

bool Gpu::at_least(nvml::Architecture architecture) const {
  const auto& own = this->architecture();
  return own && *own != nvml::Architecture::unknown && *own >= architecture;
}

std::string Gpu::bus_id() const { return pci() ? pci()->bus_id : failure(pci().error()); }

Result<nvml::FieldNumber> Gpu::field(nvml::FieldId id, unsigned scope) const {
  const nvml::FieldQuery query{id, scope};
  const auto answers = device_.field_values({&query, 1});
  if (!answers) return answers.error();
  return answers->front().value;
}

std::string Gpu::failure(const nvml::Failure& failure) const {
  const auto code = failure.code();
  if (code == Errc::not_supported || code == Errc::function_not_found) return "N/A";
  const auto text = device_.table().ErrorString;
  return text ? text(static_cast<abi::nvmlReturn_t>(code)) : "Unknown Error";
}

}  // namespace nvmlkit::smi
