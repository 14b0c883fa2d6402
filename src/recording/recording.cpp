#include "recording/recording.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "sim/model/pci_bus_id.hpp"

namespace nvmlkit::recording {
namespace {

bool same_address(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  const auto a = sim::model::parse_pci_bus_id(one), b = sim::model::parse_pci_bus_id(other);
  return a && b && a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

bool same_gpu(const GpuName& a, const GpuName& b) {
  if (!a.host.empty() && !b.host.empty() && a.host != b.host) return false;
  if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid;
  if (!a.bus_id.empty() && !b.bus_id.empty()) return same_address(a.bus_id, b.bus_id);
  return a.index && a.index == b.index;
}

void complete_name(GpuName& known, const GpuName& name) {
  if (known.host.empty()) known.host = name.host;
  if (!known.index) known.index = name.index;
  if (known.uuid.empty()) known.uuid = name.uuid;
  if (known.bus_id.empty()) known.bus_id = name.bus_id;
  if (known.model.empty()) known.model = name.model;
}

std::optional<std::int64_t> first_time(const Recording& recording) {
  std::optional<std::int64_t> out;
  for (const auto& sample : recording.samples) out = std::min(out.value_or(sample.at_ms), sample.at_ms);
  for (const auto& xid : recording.xids) out = std::min(out.value_or(xid.at_ms), xid.at_ms);
  return out;
}

void shift(Recording& recording, std::int64_t by_ms) {
  for (auto& sample : recording.samples) sample.at_ms += by_ms;
  for (auto& xid : recording.xids) xid.at_ms += by_ms;
}

auto key_of(const Sample& sample) { return std::tuple(sample.at_ms, sample.gpu, sample.quantity); }

}  // namespace

std::uint32_t Recording::gpu_of(const GpuName& name) {
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (same_gpu(gpus[i], name)) {
      complete_name(gpus[i], name);
      return static_cast<std::uint32_t>(i);
    }
  gpus.push_back(name);
  return static_cast<std::uint32_t>(gpus.size() - 1);
}

void Recording::add(std::int64_t at_ms, std::uint32_t gpu, const Name& name, double value) {
  const double scaled = value * name.factor;
  if (std::isfinite(scaled)) samples.push_back({at_ms, gpu, name.quantity, name.weak, scaled});
}

void merge(Recording&& part, Recording& whole) {
  if (part.empty()) return;
  if (!whole.empty() && part.dated != whole.dated) {
    auto& undated = part.dated ? whole : part;
    const auto& dated = part.dated ? part : whole;
    shift(undated, *first_time(dated) - *first_time(undated));
  }
  whole.dated |= part.dated;
  std::vector<std::uint32_t> places;
  for (const auto& name : part.gpus) places.push_back(whole.gpu_of(name));
  for (auto sample : part.samples) {
    sample.gpu = places[sample.gpu];
    whole.samples.push_back(sample);
  }
  for (auto xid : part.xids) {
    xid.gpu = places[xid.gpu];
    whole.xids.push_back(xid);
  }
  for (const auto& [name, count] : part.not_replayed) whole.not_replayed[name] += count;
}

void put_in_order(Recording& recording) {
  auto& samples = recording.samples;
  std::set<std::pair<std::uint32_t, Quantity>> strong;
  for (const auto& sample : samples)
    if (!sample.weak) strong.emplace(sample.gpu, sample.quantity);
  std::erase_if(samples, [&](const Sample& each) { return each.weak && strong.contains({each.gpu, each.quantity}); });
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return key_of(a) < key_of(b); });
  // The last of equal ones: unique() keeps the first, so it looks from behind.
  const auto kept = std::unique(samples.rbegin(), samples.rend(),
                                [](const Sample& a, const Sample& b) { return key_of(a) == key_of(b); });
  samples.erase(samples.begin(), kept.base());
  std::stable_sort(recording.xids.begin(), recording.xids.end(),
                   [](const Xid& a, const Xid& b) { return a.at_ms < b.at_ms; });
}

}  // namespace nvmlkit::recording
