#include "pointer_structs.hpp"

#include <algorithm>

#include "scripted_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

using interpose::Call;
using Scribble = void (*)(Liar&, void*);

// More would take time and tell nothing.
constexpr std::size_t kMostEntries = 1000;

// A struct with an array of the caller's and a count that says how much room it has.
template <auto Array, auto Count, class Struct>
void list_of(Liar& liar, void* place) {
  auto& list = *static_cast<Struct*>(place);
  auto* const entries = list.*Array;
  if (entries) liar.scribble(entries, std::min<std::size_t>(list.*Count, kMostEntries) * sizeof *entries);
  liar.scribble(&list, sizeof list);
  list.*Array = entries;
  // Mostly sizes that could be true: what was written is read then, and a list of millions takes its time.
  if (liar.number() % 8 != 1) list.*Count = liar.number() % 8;
}

// Texts of the driver: where it has none, they are null.
void gpm_metrics_get(Liar& liar, void* place) {
  auto& get = *static_cast<abi::nvmlGpmMetricsGet_t*>(place);
  const auto count = std::min<std::size_t>(get.numMetrics, std::size(get.metrics));
  for (std::size_t i = 0; i < count; ++i) {
    liar.scribble(&get.metrics[i], sizeof get.metrics[i]);
    get.metrics[i].metricInfo = {};
    if (liar.coin()) get.metrics[i].nvmlReturn = abi::NVML_SUCCESS;
  }
  if (liar.coin()) get.numMetrics = liar.number();
}

// A path that the driver reads: it stays.
template <class Limits>
void memory_limits(Liar& liar, void* place) {
  auto& limits = *static_cast<Limits*>(place);
  const auto* const path = limits.nameSpace;
  liar.scribble(&limits, sizeof limits);
  limits.nameSpace = path;
}

// A list of lists. The room of each is what the caller says, not what was written there before.
void link_telemetry(Liar& liar, void* place) {
  auto& list = *static_cast<abi::nvmlNvlinkTelemetrySamples_v1_t*>(place);
  for (unsigned int i = 0; i < list.telemetryCount; ++i) {
    auto& slot = list.telemetrySamples[i];
    auto* const samples = slot.samples;
    if (samples) liar.scribble(samples, std::min<std::size_t>(slot.sampleCount, kMostEntries) * sizeof *samples);
    liar.scribble(&slot, sizeof slot);
    slot.samples = samples;
    if (liar.number() % 8 != 1) slot.sampleCount = liar.number() % 8;
    if (liar.coin()) slot.nvmlReturn = abi::NVML_SUCCESS;
  }
  list.telemetryCount = liar.number();
  if (liar.coin()) list.telemetrySamples = nullptr;
}

void context_data(Liar& liar, void* place) {
  auto& request = *static_cast<abi::nvmlEventSetGetContextData_v1_t*>(place);
  auto* const data = request.data;
  if (data) liar.scribble(data, std::min<std::size_t>(request.dataSize, kMostEntries));
  liar.scribble(&request, sizeof request);
  request.data = data;
}

struct PointerStruct {
  std::size_t symbol;
  std::size_t argument;
  unsigned int struct_version;  // 0: the only one
  Scribble scribble;
};

template <class Function>
PointerStruct entry(Function Table::*member, std::size_t argument, Scribble scribble, unsigned int struct_version = 0) {
  return {symbol_index(member), argument, struct_version, scribble};
}

const std::vector<PointerStruct>& entries() {
  using namespace abi;
  constexpr auto kPlacementsV1 = list_of<&nvmlVgpuPlacementList_v1_t::placementIds, &nvmlVgpuPlacementList_v1_t::count,
                                         nvmlVgpuPlacementList_v1_t>;
  constexpr auto kPlacementsV2 = list_of<&nvmlVgpuPlacementList_v2_t::placementIds, &nvmlVgpuPlacementList_v2_t::count,
                                         nvmlVgpuPlacementList_v2_t>;
  static const std::vector<PointerStruct> all{
      entry(&Table::SystemGetCPER_v1, 0,
            list_of<&nvmlGetCPER_v1_t::buffer, &nvmlGetCPER_v1_t::bufferSize, nvmlGetCPER_v1_t>),
      entry(&Table::DeviceGetRunningProcessDetailList, 1,
            list_of<&nvmlProcessDetailList_v1_t::procArray, &nvmlProcessDetailList_v1_t::numProcArrayEntries,
                    nvmlProcessDetailList_v1_t>),
      entry(&Table::DeviceGetProcessesUtilizationInfo, 1,
            list_of<&nvmlProcessesUtilizationInfo_v1_t::procUtilArray,
                    &nvmlProcessesUtilizationInfo_v1_t::processSamplesCount, nvmlProcessesUtilizationInfo_v1_t>),
      entry(&Table::SystemEventSetWait, 0,
            list_of<&nvmlSystemEventSetWaitRequest_v1_t::data, &nvmlSystemEventSetWaitRequest_v1_t::dataSize,
                    nvmlSystemEventSetWaitRequest_v1_t>),
      entry(&Table::DeviceGetVgpuTypeSupportedPlacements, 2, kPlacementsV1, 1),
      entry(&Table::DeviceGetVgpuTypeSupportedPlacements, 2, kPlacementsV2, 2),
      entry(&Table::DeviceGetVgpuTypeCreatablePlacements, 2, kPlacementsV1, 1),
      entry(&Table::DeviceGetVgpuTypeCreatablePlacements, 2, kPlacementsV2, 2),
      entry(
          &Table::GpuInstanceGetCreatableVgpus, 1,
          list_of<&nvmlVgpuTypeIdInfo_v1_t::vgpuTypeIds, &nvmlVgpuTypeIdInfo_v1_t::vgpuCount, nvmlVgpuTypeIdInfo_v1_t>),
      entry(&Table::GpuInstanceGetActiveVgpus, 1,
            list_of<&nvmlActiveVgpuInstanceInfo_v1_t::vgpuInstances, &nvmlActiveVgpuInstanceInfo_v1_t::vgpuCount,
                    nvmlActiveVgpuInstanceInfo_v1_t>),
      entry(&Table::GpuInstanceGetVgpuTypeCreatablePlacements, 1,
            list_of<&nvmlVgpuCreatablePlacementInfo_v1_t::placementIds, &nvmlVgpuCreatablePlacementInfo_v1_t::count,
                    nvmlVgpuCreatablePlacementInfo_v1_t>),
      entry(&Table::DeviceGetVgpuInstancesUtilizationInfo, 1,
            list_of<&nvmlVgpuInstancesUtilizationInfo_v1_t::vgpuUtilArray,
                    &nvmlVgpuInstancesUtilizationInfo_v1_t::vgpuInstanceCount, nvmlVgpuInstancesUtilizationInfo_v1_t>),
      entry(&Table::DeviceGetVgpuProcessesUtilizationInfo, 1,
            list_of<&nvmlVgpuProcessesUtilizationInfo_v1_t::vgpuProcUtilArray,
                    &nvmlVgpuProcessesUtilizationInfo_v1_t::vgpuProcessCount, nvmlVgpuProcessesUtilizationInfo_v1_t>),
      entry(
          &Table::DeviceReadPRMCounters_v1, 1,
          list_of<&nvmlPRMCounterList_v1_t::counters, &nvmlPRMCounterList_v1_t::numCounters, nvmlPRMCounterList_v1_t>),
      entry(&Table::DeviceGetMemoryLimits_v1, 1, memory_limits<nvmlGetMemoryLimits_v1_t>),
      entry(&Table::DeviceSetMemoryLimits_v1, 1, memory_limits<nvmlSetMemoryLimits_v1_t>),
      entry(&Table::DeviceGetNvLinkTelemetrySamples_v1, 1, link_telemetry),
      entry(&Table::EventSetGetContextData_v1, 1, context_data),
      entry(&Table::GpmMetricsGet, 0, gpm_metrics_get),
      entry(&Table::DeviceGetSramUniqueUncorrectedEccErrorCounts, 1,
            list_of<&nvmlEccSramUniqueUncorrectedErrorCounts_v1_t::entries,
                    &nvmlEccSramUniqueUncorrectedErrorCounts_v1_t::entryCount,
                    nvmlEccSramUniqueUncorrectedErrorCounts_v1_t>),
  };
  return all;
}

}  // namespace

bool scribble_pointer_struct(Liar& liar, const Call& call) {
  for (const PointerStruct& each : entries()) {
    if (each.symbol != call.symbol()) continue;
    if (each.struct_version != 0 && each.struct_version != struct_version_of(call)) continue;
    void* const place = reinterpret_cast<void*>(call.arguments()[each.argument]);
    if (place) each.scribble(liar, place);
    return true;
  }
  return false;
}

std::string unknown_pointer_structs() {
  std::string unknown;
  for (std::size_t i = 0; i < symbols().size(); ++i) {
    const auto same = [i](const PointerStruct& each) { return each.symbol == i; };
    // What no header declares is not called.
    if (!interpose::signatures()[i].holds_pointers || !*symbols()[i].since) continue;
    if (std::none_of(entries().begin(), entries().end(), same)) unknown += std::string(symbols()[i].name) + '\n';
  }
  return unknown;
}

}  // namespace nvmlkit::nvml::test
