#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/pci/bus_id.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::driver::functions {
namespace {

// Generation 1 to 6 -> transfers per second in millions, as NVML counts a link's speed.
unsigned int speed_of_generation(unsigned int generation) {
  static constexpr unsigned int kSpeeds[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};
  return generation < sizeof kSpeeds / sizeof *kSpeeds ? kSpeeds[generation] : 0;
}

}  // namespace

nvmlReturn_t DeviceGetPciInfo_v3(const Machine&, const Gpu& gpu, nvmlPciInfo_t* pci) {
  write_pci_info(*gpu.pci.bus_id, gpu.pci.device_id.value_or(0), gpu.pci.subsystem_id.value_or(0), *pci);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetPciInfo_v2(const Machine&, const Gpu& gpu, nvmlPciInfo_t* pci) {
  auto& old = *reinterpret_cast<nvmlPciInfo_v2_t*>(pci);
  const auto& id = *gpu.pci.bus_id;
  write_pci_address(id, 4, old.busId);
  old.domain = id.domain;
  old.bus = id.bus;
  old.device = id.device;
  old.pciDeviceId = gpu.pci.device_id.value_or(0);
  old.pciSubSystemId = gpu.pci.subsystem_id.value_or(0);
  old.reserved0 = old.reserved1 = old.reserved2 = old.reserved3 = 0;
  return NVML_SUCCESS;
}

// The first version had no subsystem id.
nvmlReturn_t DeviceGetPciInfo(const Machine& machine, const Gpu& gpu, nvmlPciInfo_t* pci) {
  const auto result = DeviceGetPciInfo_v2(machine, gpu, pci);
  reinterpret_cast<nvmlPciInfo_v2_t*>(pci)->pciSubSystemId = 0;
  return result;
}

nvmlReturn_t DeviceGetPciInfoExt(const Machine&, const Gpu& gpu, nvmlPciInfoExt_t* pci) {
  const auto& id = *gpu.pci.bus_id;
  pci->domain = id.domain;
  pci->bus = id.bus;
  pci->device = id.device;
  pci->pciDeviceId = gpu.pci.device_id.value_or(0);
  pci->pciSubSystemId = gpu.pci.subsystem_id.value_or(0);
  pci->baseClass = gpu.pci.base_class.value_or(0);
  pci->subClass = gpu.pci.sub_class.value_or(0);
  write_pci_address(id, 8, pci->busId);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetPcieThroughput(const Machine& machine, const Gpu& gpu, nvmlPcieUtilCounter_t counter,
                                     unsigned int* value) {
  const sim::telemetry::Reading now(machine, gpu);
  const auto sent = now(gpu.pcie.tx_throughput_kbps), received = now(gpu.pcie.rx_throughput_kbps);
  if (counter == NVML_PCIE_UTIL_TX_BYTES) return read(sent, value);
  if (counter == NVML_PCIE_UTIL_RX_BYTES) return read(received, value);
  // NVML_PCIE_UTIL_COUNT: the tests of pynvml ask for it, and drivers answer. What it counts no header says.
  if (!sent || !received) return NVML_ERROR_NOT_SUPPORTED;
  *value = static_cast<unsigned int>(*sent + *received);
  return NVML_SUCCESS;
}

// NVML_PCIE_LINK_MAX_SPEED_* count from 1 for generation 1.
nvmlReturn_t DeviceGetPcieLinkMaxSpeed(const Machine&, const Gpu& gpu, unsigned int* maxSpeed) {
  return read(gpu.pcie.max_link_gen, maxSpeed);
}

nvmlReturn_t DeviceGetPcieSpeed(const Machine& machine, const Gpu& gpu, unsigned int* pcieSpeed) {
  if (!gpu.pcie.current_link_gen) return NVML_ERROR_NOT_SUPPORTED;
  *pcieSpeed = speed_of_generation(*sim::telemetry::Reading(machine, gpu)(gpu.pcie.current_link_gen));
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
