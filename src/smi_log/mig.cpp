#include "smi_log/mig.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/mig/devices.hpp"
#include "sim/mig/instances.hpp"
#include "sim/text/flow.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/quoting.hpp"
#include "smi_log/mig_match.hpp"
#include "smi_log/mig_siblings.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::Gpu;
using sim::model::MigProfile;
using sim::text::FlowList;
using sim::text::FlowMap;

constexpr std::int64_t kMib = 1 << 20;

std::optional<std::uint64_t> number_at(const GpuValues& gpu, const std::string& path) {
  const auto yaml = yaml_at(gpu.values, path);
  return sim::text::number_of<std::uint64_t>(yaml);
}

class Layout {
 public:
  Layout(GpuValues& gpu, const Tables& tables, std::uint32_t index, std::vector<std::string>& notes)
      : gpu_(gpu), notes_(notes) {
    if (const auto at = tables.listing.find(index); at != tables.listing.end()) listing_ = &at->second;
    if (const auto at = tables.mig_profiles.find(index); at != tables.mig_profiles.end()) listed_ = &at->second;
    if (const auto at = tables.mig_placements.find(index); at != tables.mig_placements.end()) placements_ = &at->second;
    for (const auto& device : gpu.mig_devices) {
      auto at = std::find_if(instances_.begin(), instances_.end(),
                             [&](const Instance& i) { return i.id == device.instance; });
      if (at == instances_.end()) at = instances_.insert(at, {device.instance, {}, nullptr, 0});
      at->devices.push_back(&device);
    }
  }

  void add_values() {
    if (instances_.empty() && listed_ == nullptr) return;
    if (listed_ != nullptr) {
      std::uint32_t most = 0;
      for (const auto& row : *listed_) most = std::max(most, row.instances);
      gpu_.values.try_emplace("mig.max_gpu_instances", Value{std::to_string(most), listed_->front().place});
    }
    choose_machine();
    if (!best_) return note("no built-in machine tells the MIG profiles of this GPU; give mig -lgip beside the log");
    for (auto& instance : instances_) adapt(instance);
    say_profiles();
    if (instances_.empty()) return;
    const double part = fraction();
    FlowList list;
    for (const auto& instance : instances_) list.add(entry(instance, part));
    gpu_.values.try_emplace("mig.instances", Value{list.yaml(), place()});
  }

 private:
  Place place() const { return gpu_.mig_devices.empty() ? gpu_.place : gpu_.mig_devices.front().place; }
  void note(const std::string& text) { notes_.push_back(place().text() + ": " + text); }

  // The machine whose profiles explain the devices best: that of the GPU, else one of its architecture.
  void choose_machine() {
    const auto names =
        sibling_machines(sim::text::unquoted(yaml_at(gpu_.values, "name")), yaml_at(gpu_.values, "architecture"));
    int best = -1;
    for (const auto& name : names)
      for (const bool upper_first : {false, true}) {
        auto gpu = builtin_gpu(name);
        if (!gpu) continue;
        if (const auto total = number_at(gpu_, "memory.total_bytes"))
          scale_profiles(*gpu, *total), gpu->memory.total_bytes = *total;
        if (const auto bar1 = number_at(gpu_, "bar1_memory.total_bytes")) gpu->bar1_memory.total_bytes = *bar1;
        gpu->mig.upper_half_first = upper_first;
        take_listed(*gpu);
        int score = 0;
        auto instances = instances_;
        for (auto& instance : instances) score += choose_profile(*gpu, listing_, instance);
        if (score <= best) continue;
        best = score;
        best_ = std::move(gpu);
        instances_ = std::move(instances);
      }
    std::erase_if(instances_, [&](const Instance& instance) {
      if (best_ && instance.profile == nullptr)
        note("left out: no MIG profile of this GPU has an instance with id " + std::to_string(instance.id));
      return best_ && instance.profile == nullptr;
    });
  }

  // `mig -lgip` lists the profiles, `mig -lgipp` their places; without that they are those of the profile with the id.
  void take_listed(Gpu& gpu) const {
    if (listed_ == nullptr) return;
    const auto known = std::make_unique<decltype(gpu.mig.profiles)>(gpu.mig.profiles);
    const auto slices = sim::mig::memory_slices(gpu);
    gpu.mig.profiles.clear();
    for (const auto& row : *listed_) {
      MigProfile made{};
      const auto like =
          std::find_if(known->begin(), known->end(), [&](const MigProfile& p) { return *p.id == row.id; });
      if (like != known->end()) made = *like;
      if (placements_ != nullptr)
        if (const auto at = placements_->find(row.id); at != placements_->end()) {
          made.size = at->second.size;
          made.starts.clear();
          for (const auto start : at->second.starts) made.starts.push_back(start);
        }
      if (!made.size || made.starts.empty()) continue;
      made.name = sim::model::Text<24>(row.name);
      made.id = row.id, made.instances = row.instances, made.p2p = row.p2p;
      made.memory_mib = row.memory_mib;
      made.sm = row.sm, made.dec = row.dec, made.enc = row.enc;
      if (row.ce) made.ce = *row.ce;
      if (row.jpeg) made.jpeg = *row.jpeg;
      if (row.ofa) made.ofa = *row.ofa;
      gpu.mig.profiles.push_back(made);
    }
    // A table that lacks the whole GPU was cut, and nvidia-smi lists no profile that is newer than itself.
    const auto whole = [&](const MigProfile& p) { return *p.size == slices; };
    const bool cut = std::none_of(gpu.mig.profiles.begin(), gpu.mig.profiles.end(), whole);
    for (const auto& profile : *known) {
      const auto same = [&](const MigProfile& p) { return *p.id == *profile.id; };
      if (std::any_of(gpu.mig.profiles.begin(), gpu.mig.profiles.end(), same)) continue;
      if (cut || is_named(profile.name->view())) gpu.mig.profiles.push_back(profile);
    }
  }

  bool is_named(std::string_view profile) const {
    return std::any_of(instances_.begin(), instances_.end(),
                       [&](const Instance& instance) { return listed_profile(listing_, instance) == profile; });
  }

  // What the log shows of an instance its profile has.
  void adapt(Instance& instance) {
    auto& profile = *instance.profile;
    const auto& first = *instance.devices.front();
    const auto take = [](const std::optional<std::uint64_t>& shown, auto& field) {
      if (shown) field = static_cast<std::uint32_t>(std::min<std::uint64_t>(*shown, UINT32_MAX));
    };
    if (instance.devices.size() == 1 && first.sm) {
      const auto computes = sim::mig::compute_profiles(*best_, profile);
      if (std::none_of(computes.begin(), computes.end(), [&](const auto& c) { return c.sm == *first.sm; }))
        take(first.sm, profile.sm);
    }
    take(first.ce, profile.ce);
    take(first.dec, profile.dec);
    take(first.enc, profile.enc);
    take(first.jpeg, profile.jpeg);
    take(first.ofa, profile.ofa);
    for (auto& other : best_->mig.profiles.span()) {  // of one size, of one memory
      if (*other.size != *profile.size) continue;
      if (first.total) other.memory_mib = *first.total;
      if (first.bar1 && sim::mig::bar1_bytes(*best_, other) / kMib != *first.bar1) other.bar1_mib = *first.bar1;
    }
  }

  void say_profiles() {
    gpu_.values.try_emplace("mig.profiles", Value{yaml_of_profiles(*best_), place()});
    if (best_->mig.upper_half_first.value_or(false))
      gpu_.values.try_emplace("mig.upper_half_first", Value{"true", place()});
  }

  // Older nvidia-smi cut bytes off at whole MiB, newer ones round them up. Where used and free miss or exceed the total
  // by one, each has a part of a MiB; what the GPU itself uses tells how large that is.
  static int rounding_of(const MigDevice& d) {
    if (!d.total || !d.used || !d.free) return 0;
    return *d.total == *d.used + *d.free + 1 ? 1 : *d.total + 1 == *d.used + *d.free ? -1 : 0;
  }

  double fraction() {
    std::uint64_t whole = 0;
    int parted = 0;
    for (const auto& instance : instances_) {
      whole += instance.devices.front()->used.value_or(0);
      parted += rounding_of(*instance.devices.front());
    }
    const auto total = number_at(gpu_, "memory.total_bytes"), reserved = number_at(gpu_, "memory.reserved_bytes"),
               used = number_at(gpu_, "memory.used_bytes"), free = number_at(gpu_, "memory.free_bytes");
    double lost = 0;  // of each of the GPU's own values, in MiB
    if (total && reserved && used && free) {
      const auto missing =
          static_cast<std::int64_t>(*total - *reserved - *used - *free) / static_cast<std::int64_t>(kMib);
      if (missing >= -2 && missing <= 2) lost = static_cast<double>(missing) / 3;
      const auto exact = static_cast<std::int64_t>(*reserved) + static_cast<std::int64_t>(lost * kMib);
      if (lost != 0 && exact > 0) gpu_.values["memory.reserved_bytes"].yaml = std::to_string(exact);
    }
    if (parted == 0) return 0;
    if (!used) return parted > 0 ? 0.5 : -0.5;
    const auto each = (static_cast<double>(*used) / kMib + lost - static_cast<double>(whole)) / std::abs(parted);
    return parted > 0 ? std::clamp(each, 0.05, 0.95) : std::clamp(each, -0.95, -0.05);
  }

  std::string entry(const Instance& instance, double part) const {
    const auto& profile = *instance.profile;
    const auto& first = *instance.devices.front();
    FlowMap out;
    out.add("profile", quoted(profile.name->view()));
    out.add("start", instance.start);
    if (first.sram.value_or(0) > 0) out.add("sram_uncorrectable", *first.sram);
    if (first.used) {
      const auto at = gpu_.process_mib.find(instance.id);
      const auto held = at == gpu_.process_mib.end() ? 0 : at->second;
      const auto own = static_cast<double>(*first.used > held ? *first.used - held : 0);
      const auto kib = static_cast<std::uint64_t>(std::max(0.0, own + (rounding_of(first) != 0 ? part : 0)) * 1024);
      if (kib != profile.idle_kib.value_or(0)) out.add("idle_kib", kib);
    }
    FlowList list;
    for (const auto* device : instance.devices) list.add(compute_entry(profile, *device));
    out.add("compute_instances", list.yaml());
    return out.yaml();
  }

  std::string compute_entry(const MigProfile& profile, const MigDevice& device) const {
    const ListedMig* listed = nullptr;
    if (listing_ != nullptr)
      if (const auto at = listing_->mig.find(device.index); at != listing_->mig.end()) listed = &at->second;
    const auto computes = sim::mig::compute_profiles(*best_, profile);
    const sim::mig::ComputeProfile* chosen = nullptr;
    for (const auto& compute : computes) {
      const bool named = listed != nullptr && sim::mig::compute_name(profile, compute).view() == listed->profile;
      const bool fits = device.sm ? compute.sm == *device.sm : compute.whole;
      if (fits && (named || chosen == nullptr)) chosen = &compute;
    }
    if (chosen == nullptr) chosen = computes.whole();
    FlowMap out;
    out.add("profile",
            quoted(chosen != nullptr ? sim::mig::compute_name(profile, *chosen).view() : profile.name->view()));
    if (chosen != nullptr && chosen->wide()) out.add("wide", "true");
    out.add("id", device.compute);
    if (listed != nullptr && well_formed(listed->uuid)) out.add("uuid", quoted(listed->uuid));
    return out.yaml();
  }

  // MIG-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, and not the mask of several devices.
  bool well_formed(std::string_view uuid) const {
    const bool form = uuid.size() == 40 && uuid.starts_with("MIG-") &&
                      uuid.find_first_not_of("0123456789abcdefABCDEF-", 4) == std::string_view::npos;
    return form && std::count_if(listing_->mig.begin(), listing_->mig.end(),
                                 [&](const auto& entry) { return entry.second.uuid == uuid; }) == 1;
  }

  GpuValues& gpu_;
  std::vector<std::string>& notes_;
  const ListedGpu* listing_ = nullptr;
  const std::vector<ListedProfile>* listed_ = nullptr;
  const std::map<std::uint32_t, ListedPlacement>* placements_ = nullptr;
  std::vector<Instance> instances_;
  std::unique_ptr<Gpu> best_;
};

}  // namespace

void add_mig(const Tables& tables, MachineValues& machine) {
  for (std::uint32_t i = 0; i < machine.gpus.size(); ++i)
    Layout(machine.gpus[i], tables, i, machine.notes).add_values();
}

}  // namespace nvmlkit::smi_log
