#include "smi_log/mig_siblings.hpp"

#include <cmath>

#include "sim/config/builtin.hpp"
#include "sim/config/load.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/text/flow.hpp"
#include "smi_log/profile.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::Gpu;

std::uint64_t gib_up(std::uint64_t bytes) { return (bytes + (1ULL << 30) - 1) >> 30; }

}  // namespace

std::vector<std::string> sibling_machines(const std::string& product, const std::string& architecture) {
  std::vector<std::string> names;
  const std::string own(profile_of(product));
  if (fields_of_profile(own).contains("mig.profiles")) {
    names = {own};
  } else {
    for (const auto& builtin : sim::list_builtin_machines()) {
      const auto& fields = fields_of_profile(builtin.name);
      const auto its = fields.find("architecture");
      if ((architecture.empty() || (its != fields.end() && its->second == architecture)) &&
          fields.contains("mig.profiles"))
        names.emplace_back(builtin.name);
    }
  }
  return names;
}

std::unique_ptr<Gpu> builtin_gpu(std::string_view name) {
  const auto machine = sim::read_machine(name, sim::builtin_machine_text(name));
  return machine ? std::make_unique<Gpu>((*machine)->gpus()[0]) : nullptr;
}

void scale_profiles(Gpu& gpu, std::uint64_t bytes) {
  const auto own = gpu.memory.total_bytes.value_or(0);
  if (own == 0 || gib_up(own) == gib_up(bytes)) return;
  const auto slices = sim::mig::memory_slices(gpu);
  for (auto& profile : gpu.mig.profiles.span()) {
    const auto name = profile.name->view();
    const auto dot = name.find('.'), unit = name.find("gb");
    if (dot == std::string_view::npos || unit == std::string_view::npos || slices == 0) continue;
    const auto share = static_cast<double>(gib_up(bytes)) * *profile.size / slices;
    profile.name = sim::model::Text<24>(std::string(name.substr(0, dot + 1)) + std::to_string(std::llround(share)) +
                                        std::string(name.substr(unit)));
    const auto ratio = static_cast<double>(bytes) / static_cast<double>(own);
    profile.memory_mib =
        static_cast<std::uint64_t>(std::llround(ratio * static_cast<double>(*profile.memory_mib) / 128)) * 128;
    profile.bar1_mib.present = false;
  }
}

std::string yaml_of_profiles(const Gpu& gpu) {
  sim::text::FlowList list;
  for (const auto& p : gpu.mig.profiles) {
    sim::text::FlowList starts;
    for (const auto start : p.starts) starts.add(start);
    sim::text::FlowMap profile;
    profile.add("name", quoted(p.name->view()));
    profile.add("starts", starts.yaml());
    profile.add("id", *p.id);
    profile.add("sm", p.sm.value_or(0));
    profile.add("memory_mib", p.memory_mib.value_or(0));
    const auto say = [&](const char* name, const auto& field) {
      if (field && *field != 0) profile.add(name, *field);
    };
    say("instances", p.instances), say("size", p.size), say("idle_kib", p.idle_kib), say("bar1_mib", p.bar1_mib);
    say("ce", p.ce), say("dec", p.dec), say("enc", p.enc), say("jpeg", p.jpeg), say("ofa", p.ofa);
    if (p.p2p.value_or(false)) profile.add("p2p", "true");
    list.add(profile.yaml());
  }
  return list.yaml();
}

}  // namespace nvmlkit::smi_log
