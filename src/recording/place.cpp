#include "recording/place.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::recording {
namespace {

using Places = std::vector<std::size_t>;

std::set<std::string> hosts_of(const Recording& recording) {
  std::set<std::string> out;
  for (const auto& gpu : recording.gpus)
    if (!gpu.host.empty()) out.insert(gpu.host);
  return out;
}

void keep(Recording& recording, const std::vector<bool>& kept) {
  std::vector<std::uint32_t> places(kept.size());
  std::vector<GpuName> gpus;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    places[i] = static_cast<std::uint32_t>(gpus.size());
    if (kept[i]) gpus.push_back(recording.gpus[i]);
  }
  std::erase_if(recording.samples, [&](const Sample& each) { return !kept[each.gpu]; });
  std::erase_if(recording.xids, [&](const Xid& each) { return !kept[each.gpu]; });
  for (auto& sample : recording.samples) sample.gpu = places[sample.gpu];
  for (auto& xid : recording.xids) xid.gpu = places[xid.gpu];
  recording.gpus = std::move(gpus);
}

// The place of each, or nothing if one is missing.
template <class Matches>
Places find_all(const Recording& recording, const sim::Machine& machine, Matches matches) {
  Places out;
  for (const auto& name : recording.gpus)
    for (std::size_t i = 0; i < machine.gpus().size(); ++i)
      if (matches(name, machine.gpus()[i])) {
        out.push_back(i);
        break;
      }
  return out.size() == recording.gpus.size() ? out : Places();
}

auto address_key(const GpuName& name) {
  const auto id = sim::model::parse_pci_bus_id(name.bus_id).value_or(sim::model::PciBusId{});
  return std::tuple(id.domain, id.bus, id.device);
}

sim::Problem too_few(const Recording& recording, const sim::Machine& machine) {
  std::size_t most = recording.gpus.size();
  for (const auto& gpu : recording.gpus) most = std::max<std::size_t>(most, gpu.index.value_or(0) + 1);
  const auto model =
      std::find_if(recording.gpus.begin(), recording.gpus.end(), [](const GpuName& gpu) { return !gpu.model.empty(); });
  return {.kind = sim::ProblemKind::impossible,
          .what = "the recording has GPUs up to number " + std::to_string(most - 1) + ", the machine has " +
                  std::to_string(machine.gpus().size()),
          .hint = "take a machine with -n " + std::to_string(most) +
                  (model == recording.gpus.end() ? std::string() : "; they are " + model->model)};
}

// GPUs without an index take the places that are left, in the order of their addresses.
Expected<Places> by_index(const Recording& recording, const sim::Machine& machine) {
  const auto count = machine.gpus().size();
  Places out(recording.gpus.size(), count), order(recording.gpus.size());
  std::vector<bool> taken(count);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& index = recording.gpus[i].index;
    if (!index) continue;
    if (*index >= count || taken[*index]) return sim::fail(too_few(recording, machine));
    out[i] = *index;
    taken[*index] = true;
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return address_key(recording.gpus[a]) < address_key(recording.gpus[b]);
  });
  for (const auto i : order) {
    if (recording.gpus[i].index) continue;
    const auto free = std::find(taken.begin(), taken.end(), false);
    if (free == taken.end()) return sim::fail(too_few(recording, machine));
    *free = true;
    out[i] = static_cast<std::size_t>(free - taken.begin());
  }
  return out;
}

}  // namespace

Expected<void> keep_host(Recording& recording, const std::string& host) {
  const auto hosts = hosts_of(recording);
  if (host.empty() && hosts.size() < 2) return {};
  if (host.empty() || !hosts.contains(host)) {
    std::vector<std::string_view> names(hosts.begin(), hosts.end());
    if (!host.empty()) return sim::fail(sim::unknown_name("host", host, names));
    return sim::fail({.kind = sim::ProblemKind::missing,
                      .what = "the recording has " + std::to_string(hosts.size()) + " hosts; which one?",
                      .hint = "--host " + *hosts.begin() + "; " + sim::valid_names(names)});
  }
  std::vector<bool> kept;
  for (const auto& gpu : recording.gpus) kept.push_back(gpu.host == host || gpu.host.empty());
  keep(recording, kept);
  return {};
}

Expected<Places> places_on(const Recording& recording, const sim::Machine& machine) {
  const auto uuids = find_all(recording, machine, [](const GpuName& name, const sim::model::Gpu& gpu) {
    return gpu.uuid && gpu.uuid->view() == name.uuid;
  });
  if (!uuids.empty()) return uuids;
  const auto addresses = find_all(recording, machine, [](const GpuName& name, const sim::model::Gpu& gpu) {
    const auto id = sim::model::parse_pci_bus_id(name.bus_id);
    return id && gpu.pci.bus_id && id->domain == gpu.pci.bus_id->domain && id->bus == gpu.pci.bus_id->bus &&
           id->device == gpu.pci.bus_id->device;
  });
  if (!addresses.empty()) return addresses;
  return by_index(recording, machine);
}

}  // namespace nvmlkit::recording
