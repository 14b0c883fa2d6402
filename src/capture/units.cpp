// S-class units, host interface cards, and excluded GPUs.
#include <fmt/format.h>

#include "capture/parts.hpp"

namespace nvmlkit::capture {
namespace {

std::uint64_t number(const Object& unit, const std::string& question, std::string_view output) {
  const auto* answer = unit.answer(question);
  const auto* value = succeeded(answer) ? at(answer, output) : nullptr;
  return value != nullptr && value->is_number() ? value->get<std::uint64_t>() : 0;
}

std::string text(const Object& unit, const std::string& question, std::string_view output) {
  const auto* answer = unit.answer(question);
  const auto* value = succeeded(answer) ? at(answer, output) : nullptr;
  return in_quotes(value != nullptr && value->is_string() ? value->get<std::string>() : std::string());
}

std::string unit_of(const Object& unit) {
  FlowMap out;
  out.add("name", text(unit, "nvmlUnitGetUnitInfo", "info.name"));
  out.add("id", text(unit, "nvmlUnitGetUnitInfo", "info.id"));
  out.add("serial", text(unit, "nvmlUnitGetUnitInfo", "info.serial"));
  out.add("firmware_version", text(unit, "nvmlUnitGetUnitInfo", "info.firmwareVersion"));
  FlowMap led;
  led.add("color", number(unit, "nvmlUnitGetLedState", "state.color") != 0 ? "amber" : "green");
  if (succeeded(unit.answer("nvmlUnitGetLedState"))) led.add("cause", text(unit, "nvmlUnitGetLedState", "state.cause"));
  out.add("led", led.yaml());
  FlowMap psu;
  psu.add("state", text(unit, "nvmlUnitGetPsuInfo", "psu.state"));
  psu.add("current_a", number(unit, "nvmlUnitGetPsuInfo", "psu.current"));
  psu.add("voltage_v", number(unit, "nvmlUnitGetPsuInfo", "psu.voltage"));
  psu.add("power_w", number(unit, "nvmlUnitGetPsuInfo", "psu.power"));
  out.add("psu", psu.yaml());
  FlowMap temperature;
  temperature.add("intake_c", number(unit, "nvmlUnitGetTemperature(0)", "temp"));
  temperature.add("exhaust_c", number(unit, "nvmlUnitGetTemperature(1)", "temp"));
  temperature.add("board_c", number(unit, "nvmlUnitGetTemperature(2)", "temp"));
  out.add("temperature", temperature.yaml());
  FlowList fans;
  for (std::uint64_t i = 0; i < number(unit, "nvmlUnitGetFanSpeedInfo", "fanSpeeds.count"); ++i) {
    FlowMap fan;
    fan.add("speed_rpm", number(unit, "nvmlUnitGetFanSpeedInfo", fmt::format("fanSpeeds.fans.{}.speed", i)));
    fan.add("failed",
            number(unit, "nvmlUnitGetFanSpeedInfo", fmt::format("fanSpeeds.fans.{}.state", i)) != 0 ? "true" : "false");
    fans.add(fan.yaml());
  }
  out.add("fans", fans.yaml());
  FlowList gpus;
  if (const auto* devices = at(unit.answer("nvmlUnitGetDevices"), "devices"))
    for (const auto& device : *devices)
      if (device.is_string() && device.get<std::string>().starts_with("GPU "))
        gpus.add(device.get<std::string>().substr(4));
  out.add("gpus", gpus.yaml());
  return out.yaml();
}

}  // namespace

void record_units(Record& host, const Answers& answers) {
  FlowList units;
  for (const auto& object : answers.objects)
    if (object.subject == Subject::unit) units.add(unit_of(object));
  if (!units.empty()) host.set("units", units, {});
  if (const auto* cards = host.ask("nvmlSystemGetHicVersion", "hwbcEntries")) {
    FlowList list;
    for (const auto& card : *cards) {
      FlowMap item;
      item.add("id", card["hwbcId"].get<std::uint64_t>());
      item.add("firmware_version", in_quotes(card["firmwareVersion"].get<std::string>()));
      list.add(item.yaml());
    }
    host.set("host_interface_cards", list, {"nvmlSystemGetHicVersion"});
  }
  FlowList excluded;
  for (std::uint64_t i = 0; i < host.number("nvmlGetExcludedDeviceCount", "deviceCount"); ++i) {
    const auto question = fmt::format("nvmlGetExcludedDeviceInfoByIndex({})", i);
    if (host.ask(question, "info") == nullptr) continue;
    FlowMap gpu;
    gpu.add("bus_id", in_quotes(host.text(question, "info.pciInfo.busId")));
    gpu.add("device_id", fmt::format("0x{:x}", host.number(question, "info.pciInfo.pciDeviceId")));
    gpu.add("subsystem_id", fmt::format("0x{:x}", host.number(question, "info.pciInfo.pciSubSystemId")));
    gpu.add("uuid", in_quotes(host.text(question, "info.uuid")));
    excluded.add(gpu.yaml());
  }
  host.set("excluded_gpus", excluded, {"nvmlGetExcludedDeviceCount", "nvmlGetExcludedDeviceInfoByIndex"});
}

}  // namespace nvmlkit::capture
