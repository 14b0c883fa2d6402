// Handles from an index, a serial number, a UUID or a PCI address.
#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/failing_gpu.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/device/hex.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "driver/nvml/mig/handles.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlReturn_t give(const Machine& machine, std::size_t place, nvmlDevice_t* device) {
  const auto refusal = refused_handle(machine, machine.gpus()[place]);
  if (refusal == NVML_SUCCESS) *device = handle_of(place);
  return refusal;
}

template <class Matches>
nvmlReturn_t find(const Machine& machine, nvmlDevice_t* device, Matches matches) {
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (matches(gpus[i]) && is_visible(machine, i)) return give(machine, i, device);
  return NVML_ERROR_NOT_FOUND;
}

// Does the text spell these 16 bytes?
bool same_uuid(std::string_view text, const unsigned char (&bytes)[16]) {
  unsigned char own[16] = {};
  return parse_uuid_bytes(text, own) && std::memcmp(own, bytes, sizeof own) == 0;
}

// A MIG device whose UUID matches, of any GPU in MIG mode.
template <class Matches>
nvmlReturn_t find_mig(const Machine& machine, nvmlDevice_t* device, Matches matches) {
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (std::uint32_t at = 0; const auto mig = mig_device_at(gpus[i], at); ++at)
      if (matches(sim::mig::uuid_of(gpus[i], mig->id()).view())) {
        *device = mig_handle_of(i, mig->id());
        return NVML_SUCCESS;
      }
  return NVML_ERROR_NOT_FOUND;
}

// A GPU or a MIG device.
template <class Matches>
nvmlReturn_t find_uuid(const Machine& machine, nvmlDevice_t* device, Matches matches) {
  const auto result = find(machine, device, [&](const Gpu& gpu) { return gpu.uuid && matches(gpu.uuid->view()); });
  return result == NVML_ERROR_NOT_FOUND ? find_mig(machine, device, matches) : result;
}

}  // namespace

nvmlReturn_t DeviceGetCount_v2(const Machine& machine, unsigned int* deviceCount) {
  *deviceCount = static_cast<unsigned int>(count_visible(machine));
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetCount(const Machine& machine, unsigned int* deviceCount) {
  return DeviceGetCount_v2(machine, deviceCount);
}

nvmlReturn_t DeviceGetHandleByIndex_v2(const Machine& machine, unsigned int index, nvmlDevice_t* device) {
  const auto place = place_of_index(machine, index);
  return place < machine.gpus().size() ? give(machine, place, device) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t DeviceGetHandleByIndex(const Machine& machine, unsigned int index, nvmlDevice_t* device) {
  return DeviceGetHandleByIndex_v2(machine, index, device);
}

nvmlReturn_t DeviceGetIndex(const Machine& machine, const Gpu& gpu, unsigned int* index) {
  const auto place = static_cast<std::size_t>(&gpu - machine.gpus().data());
  *index = static_cast<unsigned int>(index_of_place(machine, place));
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetHandleBySerial(const Machine& machine, const char* serial, nvmlDevice_t* device) {
  return find(machine, device, [&](const Gpu& gpu) { return gpu.serial && gpu.serial->view() == serial; });
}

nvmlReturn_t DeviceGetHandleByUUID(const Machine& machine, const char* uuid, nvmlDevice_t* device) {
  return find_uuid(machine, device, [&](std::string_view own) { return own == uuid; });
}

nvmlReturn_t DeviceGetHandleByUUIDV(const Machine& machine, const nvmlUUID_t* uuid, nvmlDevice_t* device) {
  if (uuid->type == NVML_UUID_TYPE_ASCII) {
    const std::string_view text(uuid->value.str, strnlen(uuid->value.str, sizeof uuid->value.str));
    return find_uuid(machine, device, [&](std::string_view own) { return own == text; });
  }
  if (uuid->type != NVML_UUID_TYPE_BINARY) return NVML_ERROR_INVALID_ARGUMENT;
  return find_uuid(machine, device, [&](std::string_view own) { return same_uuid(own, uuid->value.bytes); });
}

nvmlReturn_t DeviceGetHandleByPciBusId_v2(const Machine& machine, const char* pciBusId, nvmlDevice_t* device) {
  const auto wanted = sim::model::parse_pci_bus_id(pciBusId);
  if (!wanted) return NVML_ERROR_INVALID_ARGUMENT;
  return find(machine, device, [&](const Gpu& gpu) { return gpu.pci.bus_id && *gpu.pci.bus_id == *wanted; });
}

nvmlReturn_t DeviceGetHandleByPciBusId(const Machine& machine, const char* pciBusId, nvmlDevice_t* device) {
  return DeviceGetHandleByPciBusId_v2(machine, pciBusId, device);
}

}  // namespace nvmlkit::driver::functions
