#include "driver/nscq/switches.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "kernel_log/switch_errors.hpp"
#include "sim/links/links.hpp"
#include "sim/state/read.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::nscq {

using sim::Machine;
using sim::model::Gpu;

namespace {

// The digits of a UUID behind its first dash, whatever stands in front.
bool parse(std::string_view text, Uuid& out) {
  std::size_t digits = 0;
  Uuid found{};
  for (const char letter : text.substr(std::min(text.find('-'), text.size()))) {
    if (letter == '-') continue;
    const auto lower = static_cast<char>(letter | 0x20);
    const bool is_letter = lower >= 'a' && lower <= 'f';
    if (digits == 32 || (!is_letter && (letter < '0' || letter > '9'))) return false;
    const auto value = static_cast<std::uint8_t>(is_letter ? lower - 'a' + 10 : letter - '0');
    found.bytes[digits / 2] |= static_cast<std::uint8_t>(digits % 2 ? value : value << 4);
    ++digits;
  }
  if (digits != 32) return false;
  out = found;
  return true;
}

// A switch without a UUID in the machine file: from the first GPU and the place of the switch, in the form of
// version 4.
Uuid made_up(const Machine& machine, std::uint32_t index) {
  Uuid out{};
  if (!machine.gpus().empty()) out = uuid_of(machine.gpus()[0]);
  std::uint64_t state = 0x6e76737769746368 + index;
  for (auto& byte : out.bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte ^= static_cast<std::uint8_t>(state >> 56);
  }
  out.bytes[6] = static_cast<std::uint8_t>((out.bytes[6] & 0x0f) | 0x40);
  out.bytes[8] = static_cast<std::uint8_t>((out.bytes[8] & 0x3f) | 0x80);
  return out;
}

bool leads_to(const sim::links::Link& link, const Device& device) {
  return link.remote == sim::links::Remote::nvswitch && link.has_bus_id != 0 && link.remote_bus_id == device.place;
}

}  // namespace

std::vector<Device> devices_of(const Machine& machine) {
  std::vector<Device> out;
  const auto switches = machine.host().nvlink.switches.span();
  for (std::uint32_t i = 0; i < switches.size(); ++i) {
    if (!switches[i].bdf) continue;
    Device device{{}, i, *switches[i].bdf, false};
    if (!switches[i].uuid || !parse(switches[i].uuid->view(), device.uuid)) device.uuid = made_up(machine, i);
    out.push_back(device);
  }
  return out;
}

std::vector<Port> ports_of(const Machine& machine, const Device& device) {
  std::vector<Port> out;
  for (std::uint32_t index = 0; index < machine.gpus().size(); ++index) {
    const auto& gpu = machine.gpus()[index];
    Port ports[sim::links::kMaxLinks];
    std::size_t count = 0;
    sim::state::consistently(machine, machine.sequence(gpu), [&] {
      count = 0;
      const sim::telemetry::Reading now(machine, gpu);
      for (std::uint32_t link = 0; link < sim::links::count(gpu); ++link) {
        const auto& end = gpu.links.links[link];
        if (!leads_to(end, device)) continue;
        const auto counts = sim::links::counts(gpu, now, link);
        auto& port = ports[count++];
        port = {end.remote_link, sim::links::is_active(gpu, link), index, link, counts.bytes, {}};
        std::copy(std::begin(counts.errors), std::end(counts.errors), std::begin(port.errors));
      }
    });
    out.insert(out.end(), ports, ports + count);
  }
  std::sort(out.begin(), out.end(), [](const Port& a, const Port& b) { return a.number < b.number; });
  return out;
}

bool newest_error(const Machine& machine, const Device& device, bool fatal, Error& out) {
  bool found = false;
  for (const auto& error : kernel_log::switch_errors(machine)) {
    if (error.nvswitch != device.number || error.fatal != fatal) continue;
    out = {error.number, error.uptime_us / 1'000'000};
    found = true;
  }
  return found;
}

Uuid uuid_of(const Gpu& gpu) {
  Uuid out{};
  if (gpu.uuid) parse(gpu.uuid->view(), out);
  return out;
}

Label label_of(const Uuid& uuid) {
  Label out{};
  std::size_t end = static_cast<std::size_t>(std::snprintf(out.text, sizeof out.text, "SWX"));
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    const bool begins = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    end += static_cast<std::size_t>(
        std::snprintf(out.text + end, sizeof out.text - end, begins ? "-%02X" : "%02X", uuid.bytes[i]));
  }
  return out;
}

Label label_of(std::string_view text) {
  Label out{};
  std::memcpy(out.text, text.data(), std::min(text.size(), sizeof out.text - 1));
  return out;
}

}  // namespace nvmlkit::nscq
