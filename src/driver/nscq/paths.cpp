#include "driver/nscq/paths.hpp"

#include <algorithm>

#include "sim/traits/architecture.hpp"

namespace nvmlkit::nscq {
namespace {

// Numbers are passed in the width of a register: clients take them in several widths.
template <class Value, class... Indices>
void tell(Callback callback, void* data, Value value, Indices... indices) {
  reinterpret_cast<void (*)(Indices..., Result, Value, void*)>(callback)(indices..., kSuccess, value, data);
}

template <auto Read>
void each_device(const Session& session, Callback callback, void* data) {
  for (const auto& device : session.devices()) tell(callback, data, Read(session, device), &device.uuid);
}

template <auto Read>
void each_switch(const Session& session, Callback callback, void* data) {
  for (const auto& device : session.devices())
    if (device.is_mounted) tell(callback, data, Read(session, device), &device.uuid);
}

template <auto Read>
void each_port(const Session& session, Callback callback, void* data) {
  for (const auto& device : session.devices()) {
    if (!device.is_mounted) continue;
    for (const auto& port : ports_of(session.machine(), device))
      tell(callback, data, Read(session, port), &device.uuid, port.number);
  }
}

template <bool IsFatal>
void each_error(const Session& session, Callback callback, void* data) {
  for (const auto& device : session.devices())
    if (Error error{}; device.is_mounted && newest_error(session.machine(), device, IsFatal, error))
      tell(callback, data, error, &device.uuid);
}

void driver_version(const Session& session, Callback callback, void* data) {
  const auto& version = session.machine().system().driver_version;
  tell(callback, data, label_of(version ? version->view() : ""));
}

// The simulation has no such value.
void nothing(const Session&, Callback, void*) {}

PcieLocation location_of(const sim::model::PciBusId& id) {
  return {id.domain, static_cast<std::uint8_t>(id.bus), static_cast<std::uint8_t>(id.device),
          static_cast<std::uint8_t>(id.function)};
}

Throughput mebibits(double bytes) {
  const auto count = static_cast<std::uint64_t>(bytes * 8 / (1 << 20));
  return {count, count};
}

const sim::model::Gpu& gpu_of(const Session& session, const Port& port) { return session.machine().gpus()[port.gpu]; }

std::uint64_t architecture_of(const Session& session, const Device&) {
  const auto gpus = session.machine().gpus();
  if (gpus.empty() || sim::is_from(gpus[0], sim::model::Architecture::hopper)) return ls10;
  return sim::is_from(gpus[0], sim::model::Architecture::ampere) ? lr10 : sv10;
}

Throughput throughput_of(const Session& session, const Device& device) {
  double bytes = 0;
  for (const auto& port : ports_of(session.machine(), device)) bytes += port.bytes;
  return mebibits(bytes);
}

std::uint64_t port_mask(const Session& session, const Device& device) {
  std::uint64_t mask = 0;
  for (const auto& port : ports_of(session.machine(), device)) mask |= std::uint64_t{1} << (port.number & 63);
  return mask;
}

template <sim::links::Error Kind>
std::uint64_t errors_of(const Session&, const Port& port) {
  return port.errors[Kind];
}

Uuid uuid(const Session&, const Device& device) { return device.uuid; }

std::uint64_t number(const Session&, const Device& device) { return device.number; }

PcieLocation place(const Session&, const Device& device) { return location_of(device.place); }

template <class Thing>
std::uint64_t no(const Session&, const Thing&) {
  return 0;
}

FabricState fabric(const Session&, const Device&) { return {kConfigured, kConfigured}; }

std::uint64_t port_count(const Session& session, const Device& device) {
  return ports_of(session.machine(), device).size();
}

std::uint64_t port_state(const Session&, const Port& port) {
  return static_cast<std::uint64_t>(port.is_active ? active : off);
}

std::uint64_t remote_kind(const Session&, const Port&) { return kRemoteGpu; }

PcieLocation remote_place(const Session& session, const Port& port) {
  const auto& id = gpu_of(session, port).pci.bus_id;
  return id ? location_of(*id) : PcieLocation{};
}

std::uint64_t remote_link(const Session&, const Port& port) { return port.link; }

Uuid remote_uuid(const Session& session, const Port& port) { return uuid_of(gpu_of(session, port)); }

Throughput port_throughput(const Session&, const Port& port) { return mebibits(port.bytes); }

struct Path {
  std::string_view name;
  Observe observe;
};

constexpr Path kPaths[] = {
    {"/drv/nvswitch/version", driver_version},
    {"/drv/nvswitch/{device}/uuid", each_device<uuid>},
    {"/drv/nvswitch/{device}/blacklisted", each_device<no<Device>>},
    {"/drv/nvswitch/{device}/pcie/location", each_device<place>},
    {"/{nvswitch}/id/phys_id", each_switch<number>},
    {"/{nvswitch}/id/uuid", each_switch<uuid>},
    {"/{nvswitch}/id/arch", each_switch<architecture_of>},
    {"/{nvswitch}/pcie/location", each_switch<place>},
    {"/{nvswitch}/status/fabric", each_switch<fabric>},
    {"/{nvswitch}/status/reset_required", each_switch<no<Device>>},
    {"/{nvswitch}/status/error/fatal", each_error<true>},
    {"/{nvswitch}/status/error/nonfatal", each_error<false>},
    {"/{nvswitch}/nvlink/throughput_counters", each_switch<throughput_of>},
    {"/{nvswitch}/nvlink/ports_num", each_switch<port_count>},
    {"/{nvswitch}/nvlink/ports_mask", each_switch<port_mask>},
    {"/{nvswitch}/nvlink/{port}/status/link", each_port<port_state>},
    {"/{nvswitch}/nvlink/{port}/status/reset_required", each_port<no<Port>>},
    {"/{nvswitch}/nvlink/{port}/remote_device/type", each_port<remote_kind>},
    {"/{nvswitch}/nvlink/{port}/remote_device/pcie/location", each_port<remote_place>},
    {"/{nvswitch}/nvlink/{port}/remote_device/id/link", each_port<remote_link>},
    {"/{nvswitch}/nvlink/{port}/remote_device/id/uuid", each_port<remote_uuid>},
    {"/{nvswitch}/nvlink/{port}/status/error/replay_count", each_port<errors_of<sim::links::replay>>},
    {"/{nvswitch}/nvlink/{port}/status/error/recovery_count", each_port<errors_of<sim::links::recovery>>},
    {"/{nvswitch}/nvlink/{port}/status/error/flit_err_count", each_port<errors_of<sim::links::crc_flit>>},
    {"/{nvswitch}/nvlink/{port}/status/error/lane_crc_err_count_aggregate", each_port<errors_of<sim::links::crc_data>>},
    {"/{nvswitch}/nvlink/{port}/status/error/lane_ecc_err_count_aggregate", each_port<errors_of<sim::links::ecc_data>>},
    {"/{nvswitch}/nvlink/{port}/throughput_counters", each_port<port_throughput>},
    // No machine file has them. DCGM shows a blank.
    {"/{nvswitch}/id/nvlink", nothing},
    {"/{nvswitch}/status/power", nothing},
    {"/{nvswitch}/status/voltage", nothing},
    {"/{nvswitch}/status/temperature/current", nothing},
    {"/{nvswitch}/status/temperature/limit_slowdown", nothing},
    {"/{nvswitch}/status/temperature/limit_shutdown", nothing},
    {"/{nvswitch}/nvlink/voltage_info", nothing},
    {"/{nvswitch}/nvlink/current_info", nothing},
    {"/{nvswitch}/nvlink/{port}/remote_device/id/nvlink", nothing},
    {"/{nvswitch}/nvlink/{port}/{lane}/status/error/crc_err_count", nothing},
    {"/{nvswitch}/nvlink/{port}/{lane}/status/error/ecc_err_count", nothing},
    {"/{nvswitch}/nvlink/{port}/{vc}/latency", nothing},
    // Clients disagree about the type of their value, so a callback could end a client.
    {"/{nvswitch}/nvlink/{port}/status/error/fatal", nothing},
    {"/{nvswitch}/nvlink/{port}/status/error/nonfatal", nothing},
};

}  // namespace

Observe find_path(std::string_view path) {
  const auto found =
      std::find_if(std::begin(kPaths), std::end(kPaths), [&](const Path& known) { return known.name == path; });
  return found == std::end(kPaths) ? nullptr : found->observe;
}

}  // namespace nvmlkit::nscq
