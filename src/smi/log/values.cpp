#include "smi/log/values.hpp"

#include <fmt/format.h>

namespace nvmlkit::smi {
namespace {

template <class Enum>
struct Name {
  Enum value;
  const char* text;
};

template <class Enum, std::size_t count>
std::string named(const Name<Enum> (&names)[count], Enum value, const char* otherwise = "Unknown") {
  for (const auto& name : names)
    if (name.value == value) return name.text;
  return otherwise;
}

using nvml::Architecture;
using nvml::Brand;

constexpr Name<Brand> kBrands[] = {
    {Brand::quadro, "Quadro"},
    {Brand::tesla, "Tesla"},
    {Brand::nvs, "NVS"},
    {Brand::grid, "Grid"},
    {Brand::geforce, "GeForce"},
    {Brand::titan, "Titan"},
    {Brand::nvidia_vapps, "NVIDIA Virtual Applications"},
    {Brand::nvidia_vpc, "NVIDIA Virtual PC"},
    {Brand::nvidia_vcs, "NVIDIA Virtual Compute Server"},
    {Brand::nvidia_vws, "NVIDIA RTX Virtual Workstation"},
    {Brand::nvidia_cloud_gaming, "NVIDIA Cloud Gaming"},
    {Brand::quadro_rtx, "Quadro RTX"},
    {Brand::nvidia_rtx, "NVIDIA RTX"},
    {Brand::nvidia, "NVIDIA"},
    {Brand::geforce_rtx, "GeForce RTX"},
    {Brand::titan_rtx, "Titan RTX"},
};

constexpr Name<Architecture> kArchitectures[] = {
    {Architecture::kepler, "Kepler"},    {Architecture::maxwell, "Maxwell"}, {Architecture::pascal, "Pascal"},
    {Architecture::volta, "Volta"},      {Architecture::turing, "Turing"},   {Architecture::ampere, "Ampere"},
    {Architecture::ada, "Ada Lovelace"}, {Architecture::hopper, "Hopper"},   {Architecture::blackwell, "Blackwell"},
    {Architecture::rubin, "Rubin"},
};

}  // namespace

std::string text_of(const Gpu&, Brand brand) { return named(kBrands, brand); }

// nvidia-smi knows the chips of its time: Blackwell came with 570, Rubin with 610.
std::string text_of(const Gpu& gpu, Architecture architecture) {
  if (architecture == Architecture::blackwell && gpu.version() < Version{560, 0}) return "Unknown";
  if (architecture == Architecture::rubin && gpu.version() < Version{610, 0}) return "Unknown";
  return named(kArchitectures, architecture);
}

std::string text_of(const Gpu&, nvml::PState state) {
  return state == nvml::PState::unknown ? "N/A" : fmt::format("P{}", static_cast<unsigned>(state));
}

std::string text_of(const Gpu&, nvml::ComputeMode mode) {
  constexpr Name<nvml::ComputeMode> kModes[] = {{nvml::ComputeMode::default_, "Default"},
                                                {nvml::ComputeMode::exclusive_thread, "Exclusive_Thread"},
                                                {nvml::ComputeMode::prohibited, "Prohibited"},
                                                {nvml::ComputeMode::exclusive_process, "Exclusive_Process"}};
  return named(kModes, mode);
}

std::string text_of(const Gpu&, nvml::VirtualizationMode mode) {
  using nvml::VirtualizationMode;
  constexpr Name<VirtualizationMode> kModes[] = {{VirtualizationMode::none, "None"},
                                                 {VirtualizationMode::passthrough, "Pass-Through"},
                                                 {VirtualizationMode::vgpu, "VGPU"},
                                                 {VirtualizationMode::host_vgpu, "Host VGPU"},
                                                 {VirtualizationMode::host_vsga, "Host VSGA"}};
  return named(kModes, mode);
}

std::string text_of(const Gpu&, nvml::HostVgpuMode mode) {
  return mode == nvml::HostVgpuMode::sriov ? "SR-IOV" : "Non SR-IOV";
}

std::string text_of(const Gpu&, nvml::OperationMode mode) {
  using nvml::OperationMode;
  constexpr Name<OperationMode> kModes[] = {{OperationMode::all_on, "All On"},
                                            {OperationMode::compute, "Compute"},
                                            {OperationMode::low_dp, "Low Double Precision"}};
  return named(kModes, mode);
}

std::string text_of(const Gpu&, nvml::AddressingModeType mode) {
  using nvml::AddressingModeType;
  constexpr Name<AddressingModeType> kModes[] = {
      {AddressingModeType::none, "None"}, {AddressingModeType::hmm, "HMM"}, {AddressingModeType::ats, "ATS"}};
  return named(kModes, mode);
}

std::string watts(long long milliwatts) { return fmt::format("{:.2f} W", static_cast<double>(milliwatts) / 1000); }
std::string text_of(const Gpu&, nvml::Milliwatts power) { return watts(power.count()); }

unsigned long long mebibytes(Version version, nvml::Bytes bytes) {
  const auto count = static_cast<unsigned long long>(bytes.count());
  return (version.branch < 550 ? count : count + (1u << 20) - 1) >> 20;
}
std::string text_of(const Gpu& gpu, nvml::Bytes bytes) {
  return fmt::format("{} MiB", mebibytes(gpu.version(), bytes));
}

nvml::Result<unsigned long long> number_of(const nvml::Result<nvml::FieldNumber>& value) {
  if (!value) return value.error();
  return static_cast<unsigned long long>(nvml::as_double(*value));
}

}  // namespace nvmlkit::smi
