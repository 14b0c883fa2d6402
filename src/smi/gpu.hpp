// A GPU as one output of nvidia-smi reads it.
#pragma once

#include <functional>
#include <nvmlkit/nvml.hpp>
#include <optional>
#include <string>
#include <vector>

#include "smi/private_table.hpp"
#include "smi/version.hpp"

namespace nvmlkit::smi {

// An answer that is asked for once: two lines about one reading agree.
template <class T>
class Once {
 public:
  template <class Ask>
  const nvml::Result<T>& get(Ask ask) const {
    if (!answer_) answer_.emplace(ask());
    return *answer_;
  }

 private:
  mutable std::optional<nvml::Result<T>> answer_;
};

// The library that is asked, and its version.
struct Host {
  explicit Host(nvml::Library opened);

  nvml::Library library;
  std::string driver_version;
  std::string cuda_version;  // "13.1"
  Version version;
  PrivateTable private_table;
};

class Gpu {
 public:
  Gpu(const Host& host, unsigned index, nvml::Device device);

  const nvml::Device* operator->() const { return &device_; }
  const nvml::Device& device() const { return device_; }
  const Host& host() const { return *host_; }
  unsigned index() const { return index_; }
  Version version() const { return host_->version; }
  const PrivateTable& private_table() const { return host_->private_table; }

  const nvml::Result<nvml::PciInfo>& pci() const;
  const nvml::Result<nvml::PciInfoExt>& pci_ext() const;
  const nvml::Result<nvml::Memory>& memory() const;
  const nvml::Result<nvml::Bar1Memory>& bar1() const;
  const nvml::Result<nvml::Memory>& protected_memory() const;
  const nvml::Result<nvml::Utilization>& utilization() const;
  const nvml::Result<nvml::Device::MigMode>& mig_mode() const;
  const nvml::Result<nvml::Device::EccMode>& ecc_mode() const;
  const nvml::Result<nvml::EccSramErrorStatus>& sram() const;
  const nvml::Result<nvml::RemappedRows>& remapped_rows() const;
  const nvml::Result<nvml::RowRemapperHistogram>& histogram() const;
  const nvml::Result<nvml::BankRemapperStatus>& remapped_banks() const;
  const nvml::Result<nvml::PlatformInfo>& platform() const;
  const nvml::Result<nvml::GpuFabricInfo>& fabric() const;
  const nvml::Result<nvml::ClocksEventReasons>& reasons() const;
  const nvml::Result<nvml::Celsius>& margin() const;
  const nvml::Result<nvml::Device::EncoderStats>& encoder() const;
  const nvml::Result<nvml::FbcStats>& fbc() const;
  const nvml::Result<nvml::Architecture>& architecture() const;
  const nvml::Result<AtomicCapabilities>& atomics() const;
  const nvml::Result<nvml::Device::DramEncryption>& dram_encryption() const;
  const nvml::Result<nvml::CurrentWorkloadPowerProfiles>& power_profiles() const;

  // The chip is of this architecture or a newer one.
  bool at_least(nvml::Architecture architecture) const;
  bool mig() const { return mig_mode() && mig_mode()->current_mode; }
  std::string bus_id() const;

  // One field value, with its own failure.
  nvml::Result<nvml::FieldNumber> field(nvml::FieldId id, unsigned scope = 0) const;

  // "N/A", or the driver's text of the failure.
  std::string failure(const nvml::Failure& failure) const;

 private:
  const Host* host_;
  unsigned index_;
  nvml::Device device_;
  Once<nvml::PciInfo> pci_;
  Once<nvml::PciInfoExt> pci_ext_;
  Once<nvml::Memory> memory_;
  Once<nvml::Bar1Memory> bar1_;
  Once<nvml::Memory> protected_memory_;
  Once<nvml::Utilization> utilization_;
  Once<nvml::Device::MigMode> mig_mode_;
  Once<nvml::Device::EccMode> ecc_mode_;
  Once<nvml::EccSramErrorStatus> sram_;
  Once<nvml::RemappedRows> remapped_rows_;
  Once<nvml::RowRemapperHistogram> histogram_;
  Once<nvml::BankRemapperStatus> remapped_banks_;
  Once<nvml::PlatformInfo> platform_;
  Once<nvml::GpuFabricInfo> fabric_;
  Once<nvml::ClocksEventReasons> reasons_;
  Once<nvml::Celsius> margin_;
  Once<nvml::Device::EncoderStats> encoder_;
  Once<nvml::FbcStats> fbc_;
  Once<nvml::Architecture> architecture_;
  Once<AtomicCapabilities> atomics_;
  Once<nvml::Device::DramEncryption> dram_encryption_;
  Once<nvml::CurrentWorkloadPowerProfiles> power_profiles_;
};

}  // namespace nvmlkit::smi
