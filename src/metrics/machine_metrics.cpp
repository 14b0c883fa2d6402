#include "metrics/machine_metrics.hpp"

#include <string>
#include <utility>
#include <vector>

#include "metrics/gpu_values.hpp"
#include "sim/calls/rule_words.hpp"
#include "sim/events/names.hpp"
#include "sim/generated/model.hpp"
#include "sim/mig/devices.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/native/faults.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/follow.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/nic_fault.hpp"
#include "sim/traits/port_counters.hpp"

namespace nvmlkit::metrics {
namespace {

using sim::Machine;
using sim::model::Gpu;

std::string text_of(const auto& field) { return field ? std::string(field->view()) : ""; }

// A GPU of the copy with the labels that all its samples have.
struct Named {
  const Gpu* gpu;
  std::string index, uuid;
  bool reachable;
};

std::vector<Named> name_all(const Machine& copy) {
  std::vector<Named> out;
  for (const auto& gpu : copy.gpus())
    out.push_back({&gpu, std::to_string(copy.index_of(gpu)), text_of(gpu.uuid),
                   gpu.faults.availability == sim::faults::Availability::available});
  return out;
}

void add_identity(Exposition& out, const Machine& copy, const std::vector<Named>& gpus) {
  out.family("nvmlkit_machine_info", kGauge, "The machine; always 1");
  out.sample({{"version", NVMLKIT_VERSION}, {"driver", text_of(copy.system().driver_version)}}, std::uint64_t{1});
  out.family("nvmlkit_machine_time_seconds", kGauge, "The machine's time, since 1970");
  out.sample({}, static_cast<double>(sim::unix_us(copy, sim::now_ns(copy))) / 1e6);
  out.family("nvmlkit_machine_fault", kGauge, "1 for a fault of the whole machine");
  if (const auto fault = sim::steering::describe(copy.attention().machine.load()); !fault.empty())
    out.sample({{"fault", fault}}, std::uint64_t{1});
  out.family("nvmlkit_gpu_info", kGauge, "A GPU; always 1");
  for (const auto& each : gpus) {
    char buffer[24];
    const auto& id = each.gpu->pci.bus_id;
    const std::string bus_id(id ? sim::model::format_pci_bus_id(*id, 8, buffer) : "");
    out.sample({{"gpu", each.index},
                {"uuid", each.uuid},
                {"minor", std::to_string(each.gpu->minor_number.value_or(0))},
                {"name", text_of(each.gpu->name)},
                {"pci_bus_id", bus_id}},
               std::uint64_t{1});
  }
}

void add_faults(Exposition& out, const std::vector<Named>& gpus) {
  out.family("nvmlkit_gpu_healthy", kGauge, "1 for a GPU without a fault");
  for (const auto& each : gpus)
    out.sample({{"gpu", each.index}, {"uuid", each.uuid}}, std::uint64_t{sim::steering::describe(*each.gpu).empty()});
  out.family("nvmlkit_gpu_reachable", kGauge, "0 for a GPU that is lost, off the bus, removed, or waits for a reset");
  for (const auto& each : gpus) out.sample({{"gpu", each.index}, {"uuid", each.uuid}}, std::uint64_t{each.reachable});
  out.family("nvmlkit_gpu_fault", kGauge, "1 for a fault, in the words of `nvmlkit fault`");
  for (const auto& each : gpus)
    for (const auto& fault : sim::steering::describe(*each.gpu))
      out.sample({{"gpu", each.index}, {"uuid", each.uuid}, {"fault", fault}}, std::uint64_t{1});
}

void add_events(Exposition& out, const std::vector<Named>& gpus, const EventCounter& events) {
  out.family("nvmlkit_gpu_xid_total", kCounter, "Xids that were raised");
  for (const auto& [key, count] : events.xids())
    if (key.first < gpus.size())
      out.sample({{"gpu", gpus[key.first].index}, {"uuid", gpus[key.first].uuid}, {"xid", std::to_string(key.second)}},
                 count);
  out.family("nvmlkit_gpu_event_total", kCounter, "Events of NVML that were raised");
  for (const auto& [key, count] : events.events())
    if (key.first < gpus.size())
      out.sample({{"gpu", gpus[key.first].index},
                  {"uuid", gpus[key.first].uuid},
                  {"event", std::string(sim::events::name_of(key.second))}},
                 count);
  out.family("nvmlkit_nvswitch_sxid_total", kCounter, "SXids that were raised, of all NVSwitches");
  for (const auto& [number, count] : events.sxids()) out.sample({{"sxid", std::to_string(number)}}, count);
}

// Of what is no GPU: adapters, and functions that fail or are slow.
void add_other_faults(Exposition& out, const Machine& machine) {
  out.family("nvmlkit_nic_fault", kGauge, "1 for a fault of a network adapter, in the words of `nvmlkit fault`");
  for (const auto& nic : sim::steering::broken_nics(machine))
    for (const auto& fault : nic.faults) out.sample({{"nic", nic.name}, {"fault", fault}}, std::uint64_t{1});
  out.family("nvmlkit_nic_errors_total", kCounter, "Errors of a port that `nvmlkit fault` counted");
  for (const auto& nic : machine.host().pcie_topology.nics)
    for (std::size_t i = 0; nic.name && i < sim::nics::kCounters; ++i)
      if (const auto count = nic.state.counts[i]; count > 0)
        out.sample({{"nic", text_of(nic.name)}, {"counter", std::string(sim::kErrorCounters[i].name)}},
                   std::uint64_t{count});
  out.family("nvmlkit_call_fault", kGauge, "1 for a function that fails or is slow, in the words of `nvmlkit fault`");
  for (std::size_t i = 0; i < sim::calls::Rules::kCapacity; ++i)
    if (const auto rule = machine.call_rules().at(i))
      out.sample({{"of", rule->gpu == sim::calls::kAnyGpu ? "machine" : "gpu=" + std::to_string(rule->gpu)},
                  {"fault", sim::calls::describe(*rule)},
                  {"rule", std::to_string(i)}},
                 std::uint64_t{1});
}

// A GPU that is out of reach has no values.
void add_values(Exposition& out, const Machine& copy, const std::vector<Named>& gpus) {
  std::string_view family;
  for (const auto& value : gpu_values()) {
    if (value.name != family) out.family(value.name, value.type, value.help);
    family = value.name;
    for (const auto& each : gpus) {
      const auto number = each.reachable ? value.read(copy, *each.gpu) : std::nullopt;
      if (!number) continue;
      if (value.label.empty())
        out.sample({{"gpu", each.index}, {"uuid", each.uuid}}, *number);
      else
        out.sample({{"gpu", each.index}, {"uuid", each.uuid}, {value.label, value.word}}, *number);
    }
  }
}

void add_memory(Exposition& out, const Machine& machine, const std::vector<Named>& gpus) {
  out.family("nvmlkit_gpu_memory_bytes", kGauge, "Frame buffer");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!gpus[i].reachable) continue;
    sim::processes::Memory memory{};
    sim::state::consistently(machine, machine.sequence(machine.gpus()[i]),
                             [&] { memory = sim::processes::memory_of_board(machine, machine.gpus()[i]); });
    for (const auto& [kind, bytes] : {std::pair{"total", memory.total}, std::pair{"reserved", memory.reserved},
                                      std::pair{"used", memory.used}, std::pair{"free", memory.free}})
      out.sample({{"gpu", gpus[i].index}, {"uuid", gpus[i].uuid}, {"kind", kind}}, bytes);
  }
}

void add_mig(Exposition& out, const std::vector<Named>& gpus) {
  out.family("nvmlkit_gpu_mig_enabled", kGauge, "1 for a GPU in MIG mode");
  for (const auto& each : gpus)
    if (sim::mig::supported(*each.gpu))
      out.sample({{"gpu", each.index}, {"uuid", each.uuid}}, std::uint64_t{sim::mig::enabled(*each.gpu)});
  out.family("nvmlkit_mig_device_info", kGauge, "A MIG device; always 1");
  for (const auto& each : gpus)
    for (std::uint32_t i = 0; const auto device = sim::mig::device_at(*each.gpu, i); ++i) {
      const auto id = device->id();
      out.sample({{"gpu", each.index},
                  {"uuid", each.uuid},
                  {"mig_uuid", sim::mig::uuid_of(*each.gpu, id).view()},
                  {"gpu_instance", std::to_string(id.instance)},
                  {"compute_instance", std::to_string(id.compute)},
                  {"profile", text_of(device->compute->profile)}},
                 std::uint64_t{1});
    }
}

}  // namespace

bool add_machine(Exposition& out, const Machine& machine, const EventCounter& events) {
  const auto copy = Machine::create(machine.gpus().size());
  if (!copy || !sim::state::copy_now(machine, *copy)) return false;
  const auto gpus = name_all(*copy);
  add_identity(out, *copy, gpus);
  add_faults(out, gpus);
  add_events(out, gpus, events);
  add_other_faults(out, machine);
  add_values(out, *copy, gpus);
  add_memory(out, machine, gpus);
  add_mig(out, gpus);
  return true;
}

}  // namespace nvmlkit::metrics
