#include "smi_log/machine.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "sim/config/check.hpp"
#include "sim/config/load.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/problem/text.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/quoting.hpp"
#include "smi_log/machine_text.hpp"
#include "smi_log/profile.hpp"
#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::Machine;
using sim::model::Gpu;
using sim::model::Member;
using sim::model::StructDescriptor;

constexpr std::size_t kMostGpus = 1024;
constexpr int kMostTries = 64;

// The same value at a path in two structs.
bool same(const StructDescriptor& root, const std::string& path, const std::byte* a, const std::byte* b) {
  const auto left = sim::text::find_field(root, path, a), right = sim::text::find_field(root, path, b);
  if (!left) throw std::logic_error("no field " + path);
  return sim::model::equal(*left.field, left.structure, right.structure);
}

const std::byte* bytes(const auto& structure) { return reinterpret_cast<const std::byte*>(&structure); }

bool same(const std::string& path, const Gpu& a, const Gpu& b) {
  return same(sim::model::descriptor<Gpu>(), path, bytes(a), bytes(b));
}

bool same(const std::string& path, const Machine& a, const Machine& b) {
  if (path == "system.num_devices") return false;
  return same(sim::model::descriptor<sim::model::Machine>(), path, bytes(a.host()), bytes(b.host()));
}

// The identity of the GPU in a profile is not that of other GPUs.
bool is_key(std::string_view path) {
  const auto found = sim::text::find_field(sim::model::descriptor<Gpu>(), path);
  return found && found.field->identity == sim::model::Identity::key;
}

class Writer {
 public:
  explicit Writer(MachineValues& machine) : machine_(machine) {}

  Expected<std::string> run() {
    choose_profiles();
    check_each();
    if (machine_.gpus.size() > kMostGpus)
      return refuse(machine_.gpus[kMostGpus].place, "expected at most " + std::to_string(kMostGpus) + " GPUs");
    drop_masked_uuids();
    whole_.host = machine_.host;
    whole_.host["system.num_devices"] = {std::to_string(machine_.gpus.size()), {}};
    for (auto& gpu : machine_.gpus) whole_.gpus.push_back(gpu.values);
    const auto target = machine_of_all();
    if (!target) return sim::fail(target.error());
    return text_of(reduced(**target));
  }

 private:
  void note(const Place& place, const std::string& text) {
    machine_.notes.push_back((place.file.empty() ? "" : place.text() + ": ") + text);
  }

  // One built-in machine below all, the one that most GPUs agree with; GPUs of another profile say it field by field.
  void choose_profiles() {
    std::map<std::string, std::string> profile_of_name;
    std::map<std::string, std::size_t> users;
    for (const auto& gpu : machine_.gpus) {
      const auto name = sim::text::unquoted(yaml_at(gpu.values, "name"));
      const auto [at, fresh] = profile_of_name.try_emplace(name);
      if (fresh) {
        at->second = std::string(profile_of(name));
        // So a driver calls a GPU that is newer than itself.
        if (at->second.empty() && name == "NVIDIA Graphics Device")
          at->second = std::string(profile_of_device(yaml_at(gpu.values, "pci.device_id")));
        if (at->second.empty())
          note(gpu.place, "no built-in machine has the GPU '" + name + "'; what the log does not tell is N/A");
      }
      if (!at->second.empty()) ++users[at->second];
    }
    std::size_t most = 0;
    for (const auto& [profile, count] : users)
      if (count > most) most = count, whole_.base = profile;
    for (auto& gpu : machine_.gpus) {
      const auto& profile = profile_of_name[sim::text::unquoted(yaml_at(gpu.values, "name"))];
      if (profile != whole_.base) say_profile(gpu, profile);
      settle_weak(gpu, profile);
    }
    const auto& file = machine_.gpus.front().place.file;
    whole_.comment = !machine_.comment.empty()
                         ? machine_.comment
                         : "Imported from " + file.substr(file.find_last_of('/') + 1) + " by nvmlkit import.";
    std::replace_if(
        whole_.comment.begin(), whole_.comment.end(), [](unsigned char c) { return c < 0x20 || c > 0x7E; }, '?');
  }

  void say_profile(GpuValues& gpu, const std::string& profile) {
    Values said;
    for (const auto& [path, yaml] : fields_of_profile(whole_.base))
      if (yaml != "N/A") said[path] = {yaml.starts_with('[') ? "[]" : "N/A", gpu.place};
    for (const auto& [path, yaml] : fields_of_profile(profile)) said[path] = {yaml, gpu.place};
    std::erase_if(said, [](const auto& entry) { return is_key(entry.first); });
    gpu.values.merge(said);
  }

  // A conclusion counts where the profile says nothing, or says that there is none; or only where it has a value.
  void settle_weak(GpuValues& gpu, const std::string& profile) {
    const auto& known = fields_of_profile(profile);
    std::erase_if(gpu.values, [&](const auto& entry) {
      if (!entry.second.weak && !entry.second.hidden && !entry.second.only_over) return false;
      const auto at = known.find(entry.first);
      if (entry.second.only_over) return at == known.end() || at->second == "N/A";
      if (entry.second.hidden) return at != known.end();
      return at != known.end() && at->second != "0" && at->second != "N/A";
    });
  }

  // Each value by itself, so that a wrong one is named with its place.
  void check_each() {
    const auto scratch = std::make_unique<Gpu>();
    std::map<std::pair<std::string, std::string>, bool> checked;  // is it good?
    for (auto& gpu : machine_.gpus) {
      std::erase_if(gpu.values, [&](const auto& entry) {
        const auto& [path, value] = entry;
        const auto [known, fresh] = checked.try_emplace({path, value.yaml}, true);
        if (!fresh) return !known->second;
        const auto good = read_value(path, value.yaml, *scratch);
        if (good || path == "uuid") return false;  // UUIDs may be masked
        note(value.place, "left out: " + sim::message_of(good.error()));
        known->second = false;
        return true;
      });
    }
  }

  static Expected<void> read_value(const std::string& path, const std::string& yaml, Gpu& gpu) {
    return sim::config::assign(sim::model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), path, yaml);
  }

  // The publisher of a log may have replaced its UUIDs.
  void drop_masked_uuids() {
    std::map<std::string, int> users;
    for (const auto& gpu : machine_.gpus) ++users[yaml_at(gpu.values, "uuid")];
    std::size_t masked = 0;
    for (auto& gpu : machine_.gpus) {
      const auto uuid = gpu.values.find("uuid");
      if (uuid == gpu.values.end()) continue;
      const auto text = sim::text::unquoted(uuid->second.yaml);
      const bool form = text.size() == 40 && text.starts_with("GPU-") &&
                        text.find_first_not_of("0123456789abcdefABCDEF-", 4) == std::string::npos;
      if (form && users[uuid->second.yaml] == 1) continue;
      gpu.values.erase(uuid);
      ++masked;
    }
    if (masked > 0)
      note(machine_.gpus.front().place,
           std::to_string(masked) + (masked == 1 ? " UUID is" : " UUIDs are") + " masked; new ones are made");
  }

  // The machine of all values. Those that contradict others are left out.
  Expected<std::unique_ptr<Machine>> machine_of_all() {
    const auto& place = machine_.gpus.front().place;
    for (int tries = 0; tries < kMostTries; ++tries) {
      auto machine = sim::read_machine("imported", text_of(whole_));
      if (machine) return machine;
      if (!leave_out(machine.error())) return sim::fail(std::move(machine.error()).at(place));
    }
    return refuse(place, "too many values contradict each other");
  }

  // Whether the problem is about values of GPUs, which are left out then.
  bool leave_out(const sim::Problem& problem) {
    bool any = false;
    for (std::size_t i = 0; i < whole_.gpus.size(); ++i) {
      if (!problem.owner.has_gpu(i)) continue;
      const auto at = whole_.gpus[i].find(problem.field);
      if (at == whole_.gpus[i].end()) continue;
      if (!any) note(at->second.place, "left out: " + sim::message_of(problem));
      whole_.gpus[i].erase(at);
      any = true;
    }
    return any;
  }

  // Only what the reader would not put there from the profile. A value may follow from others, so the result is read
  // back until it is the machine of all values.
  MachineText reduced(const Machine& target) {
    MachineText out{whole_.comment, whole_.base, {}, std::vector<Values>(whole_.gpus.size())};
    out.host["system.num_devices"] = whole_.host["system.num_devices"];
    for (std::size_t i = 0; i < out.gpus.size(); ++i) {
      // An entry for each GPU, found by its address.
      const auto id = whole_.gpus[i].find("pci.bus_id");
      if (id != whole_.gpus[i].end()) out.gpus[i].insert(*id);
    }
    for (int round = 0; round < 4; ++round) {
      const auto now = sim::read_machine("imported", text_of(out));
      if (now && add_differences(target, **now, out) == 0) return out;
      if (!now) break;
    }
    return whole_;
  }

  std::size_t add_differences(const Machine& target, const Machine& now, MachineText& out) const {
    std::size_t added = 0;
    for (const auto& [path, value] : whole_.host)
      if (!out.host.contains(path) && !same(path, target, now)) out.host.emplace(path, value), ++added;
    for (std::size_t i = 0; i < whole_.gpus.size(); ++i)
      for (const auto& [path, value] : whole_.gpus[i])
        if (!out.gpus[i].contains(path) && !same(path, target.gpus()[i], now.gpus()[i]))
          out.gpus[i].emplace(path, value), ++added;
    return added;
  }

  MachineValues& machine_;
  MachineText whole_;
};

}  // namespace

Expected<std::string> write_machine_file(MachineValues& machine) { return Writer(machine).run(); }

}  // namespace nvmlkit::smi_log
