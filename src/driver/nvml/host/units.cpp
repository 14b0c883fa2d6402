// S-class units, their host interface cards, and excluded GPUs.
#include <algorithm>
#include <array>
#include <cstring>

#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/pci/bus_id.hpp"
#include "sim/state/lock.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::model::Unit;

const Unit* find_unit(const Machine& machine, nvmlUnit_t handle) {
  const auto place =
      reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(detail::running().unit_places);
  const auto units = machine.host().units.span();
  return place < std::min<std::size_t>(units.size(), machine.system().unit_count.value_or(0)) ? &units[place] : nullptr;
}

// Fills the whole field, as NVML's structs have them.
template <std::size_t Size, std::size_t N>
void put(char (&out)[Size], const sim::model::Field<sim::model::Text<N>>& text, std::string_view otherwise) {
  const auto from = text ? text->view() : otherwise;
  std::memset(out, 0, Size);
  std::memcpy(out, from.data(), std::min(from.size(), Size - 1));
}

}  // namespace

nvmlReturn_t SystemGetHicVersion(const Machine& machine, unsigned int* hwbcCount, nvmlHwbcEntry_t* hwbcEntries) {
  return fill(machine.host().host_interface_cards.span(), hwbcCount, hwbcEntries, [](const auto& card) {
    nvmlHwbcEntry_t out{};
    out.hwbcId = card.id.value_or(0);
    put(out.firmwareVersion, card.firmware_version, "");
    return out;
  });
}

nvmlReturn_t UnitGetHandleByIndex(const Machine& machine, unsigned int index, nvmlUnit_t* unit) {
  if (index >= machine.system().unit_count.value_or(0) || index >= detail::kMaxUnits)
    return NVML_ERROR_INVALID_ARGUMENT;
  *unit = reinterpret_cast<nvmlUnit_t>(&detail::running().unit_places[index]);
  return NVML_SUCCESS;
}

nvmlReturn_t UnitGetUnitInfo(const Machine& machine, nvmlUnit_t unit, nvmlUnitInfo_t* info) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  put(info->name, found->name, "S2050");
  put(info->id, found->id, "920-20804-0006-000");
  put(info->serial, found->serial, "0");
  put(info->firmwareVersion, found->firmware_version, "6.2");
  return NVML_SUCCESS;
}

nvmlReturn_t UnitGetLedState(const Machine& machine, nvmlUnit_t unit, nvmlLedState_t* state) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  state->color = static_cast<nvmlLedColor_t>(found->led.color.value_or(NVML_LED_COLOR_GREEN));
  put(state->cause, found->led.cause, state->color == NVML_LED_COLOR_AMBER ? "Set by software" : "None");
  return NVML_SUCCESS;
}

// The LEDs of all units switch together, whichever is named.
nvmlReturn_t UnitSetLedState(const Machine& machine, nvmlUnit_t unit, nvmlLedColor_t color) {
  if (find_unit(machine, unit) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const sim::state::Lock lock(machine);
  if (lock.refusal() == sim::state::Refusal::read_only) return NVML_ERROR_NO_PERMISSION;
  if (!lock) return NVML_ERROR_TIMEOUT;
  for (const auto& listed : machine.host().units) {
    auto changed = listed.led.color;
    changed = static_cast<unsigned int>(color);
    if (!lock.replace(listed.led.color, changed)) return NVML_ERROR_UNKNOWN;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t UnitGetPsuInfo(const Machine& machine, nvmlUnit_t unit, nvmlPSUInfo_t* psu) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  put(psu->state, found->psu.state, "Normal");
  psu->current = found->psu.current_a.value_or(40);
  psu->voltage = found->psu.voltage_v.value_or(12);
  psu->power = found->psu.power_w.value_or(480);
  return NVML_SUCCESS;
}

nvmlReturn_t UnitGetTemperature(const Machine& machine, nvmlUnit_t unit, unsigned int type, unsigned int* temp) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  enum { intake, exhaust, board };  // as NVML numbers them
  const auto& at = found->temperature;
  switch (type) {
    case intake:
      *temp = at.intake_c.value_or(24);
      return NVML_SUCCESS;
    case exhaust:
      *temp = at.exhaust_c.value_or(38);
      return NVML_SUCCESS;
    case board:
      *temp = at.board_c.value_or(33);
      return NVML_SUCCESS;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t UnitGetFanSpeedInfo(const Machine& machine, nvmlUnit_t unit, nvmlUnitFanSpeeds_t* fanSpeeds) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *fanSpeeds = {};
  for (const auto& fan : found->fans.span())
    fanSpeeds->fans[fanSpeeds->count++] = {fan.speed_rpm.value_or(3600),
                                           fan.failed.value_or(false) ? NVML_FAN_FAILED : NVML_FAN_NORMAL};
  return NVML_SUCCESS;
}

nvmlReturn_t UnitGetDevices(const Machine& machine, nvmlUnit_t unit, unsigned int* deviceCount, nvmlDevice_t* devices) {
  const auto* found = find_unit(machine, unit);
  if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  std::array<std::uint32_t, decltype(Unit::gpus)::capacity()> there{};
  std::size_t count = 0;
  for (const auto gpu : found->gpus.span())
    if (gpu < machine.gpus().size()) there[count++] = gpu;
  return fill(std::span<const std::uint32_t>(there.data(), count), deviceCount, devices,
              [](std::uint32_t gpu) { return handle_of(gpu); });
}

nvmlReturn_t GetExcludedDeviceCount(const Machine& machine, unsigned int* deviceCount) {
  *deviceCount = static_cast<unsigned int>(machine.host().excluded_gpus.span().size());
  return NVML_SUCCESS;
}

nvmlReturn_t GetBlacklistDeviceCount(const Machine& machine, unsigned int* deviceCount) {
  return GetExcludedDeviceCount(machine, deviceCount);
}

nvmlReturn_t GetExcludedDeviceInfoByIndex(const Machine& machine, unsigned int index, nvmlExcludedDeviceInfo_t* info) {
  const auto excluded = machine.host().excluded_gpus.span();
  if (index >= excluded.size()) return NVML_ERROR_INVALID_ARGUMENT;
  const auto& gpu = excluded[index];
  *info = {};
  write_pci_info(*gpu.bus_id, gpu.device_id.value_or(0), gpu.subsystem_id.value_or(0), info->pciInfo);
  put(info->uuid, gpu.uuid, "");
  return NVML_SUCCESS;
}

nvmlReturn_t GetBlacklistDeviceInfoByIndex(const Machine& machine, unsigned int index, nvmlExcludedDeviceInfo_t* info) {
  return GetExcludedDeviceInfoByIndex(machine, index, info);
}

}  // namespace nvmlkit::driver::functions
