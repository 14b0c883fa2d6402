#include "capture/machine.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nvmlkit/sim/table.hpp>

#include "capture/failing.hpp"
#include "capture/parts.hpp"
#include "capture/record.hpp"
#include "capture/walk.hpp"
#include "sim/problem/text.hpp"
#include "smi_log/machine.hpp"
#include "smi_log/machine_text.hpp"

namespace nvmlkit::capture {
namespace {

constexpr int kMostRounds = 6;
constexpr int kMostTries = 64;

// Writes a file, asks the machine that it describes the same questions, and adds what that answers otherwise. So a
// value that the built-in machine below has anyway, or that follows from others, is in no file.
class Writer {
 public:
  explicit Writer(const Answers& answers) : answers_(answers), gpus_(answers.gpus()), candidates_(gpus_.size()) {}

  sim::Expected<Captured> write_file() {
    gather();
    for (int round = 0; round < kMostRounds; ++round) {
      if (auto asked = write_and_ask(); !asked) return sim::fail(std::move(asked.error()));
      if (!choose()) break;
    }
    if (const auto failing = failing_functions(answers_, twin_); !failing.empty()) {
      Record(answers_.machine(), host_, notes_).set("failing_functions", failing, {});
      if (auto asked = write_and_ask(); !asked) return sim::fail(std::move(asked.error()));
    }
    out_.comparison = compare(answers_, twin_);
    return std::move(out_);
  }

 private:
  void gather() {
    Record host(answers_.machine(), host_, notes_);
    record_host(host, answers_);
    if (!answers_.no_gpus.empty())
      notes_.push_back("the driver does not tell how many GPUs there are: " + answers_.no_gpus);
    driver_ = host.text("nvmlSystemGetDriverVersion", "version");
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      Record gpu(*gpus_[i], candidates_[i], notes_);
      if (!gpus_[i]->refused.empty()) gpu.note("the driver gives no handle: " + gpus_[i]->refused);
      record_gpu(gpu, answers_);
    }
    name_silent_gpus();
    drop_unfit(host_, answers_.machine(), false);
    for (std::size_t i = 0; i < gpus_.size(); ++i) drop_unfit(candidates_[i], *gpus_[i], true);
  }

  // Drivers answer what they like; one value that no machine file takes costs that value.
  void drop_unfit(Candidates& candidates, const Object& object, bool gpu) {
    for (auto at = candidates.begin(); at != candidates.end();) {
      const std::pair key(at->first, at->second.yaml);
      auto known = checked_.find(key);
      if (known == checked_.end()) known = checked_.emplace(key, check_value(key.first, key.second, gpu)).first;
      const auto& good = known->second;
      if (!good) notes_.push_back(object.name + ": left out: " + sim::message_of(good.error()));
      at = good ? std::next(at) : candidates.erase(at);
    }
  }

  // A GPU that is lost does not tell what it is: one like the others.
  void name_silent_gpus() {
    const auto named =
        std::find_if(candidates_.begin(), candidates_.end(), [](const auto& gpu) { return gpu.contains("name"); });
    for (auto& gpu : candidates_)
      if (named != candidates_.end()) gpu.try_emplace("name", named->at("name"));
  }

  // The candidates that were chosen so far; those without questions always.
  sim::Expected<void> write() {
    smi_log::MachineValues machine;
    machine.comment = "Captured by nvmlkit capture from driver " + (driver_.empty() ? "?" : driver_) + ".";
    machine.notes = notes_;
    put(host_, machine.host);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      auto& gpu = machine.gpus.emplace_back();
      gpu.place = {gpus_[i]->name, 0};
      put(candidates_[i], gpu.values);
    }
    if (machine.gpus.empty()) {
      machine.host["system.num_devices"] = {"0", {}};
      out_.yaml = smi_log::text_of({machine.comment, {}, machine.host, {}});
    } else {
      auto yaml = smi_log::write_machine_file(machine);
      if (!yaml) return sim::fail(std::move(yaml.error()));
      out_.yaml = std::move(*yaml);
    }
    out_.notes = std::move(machine.notes);
    return {};
  }

  static void put(const Candidates& candidates, smi_log::Values& values) {
    for (const auto& [path, candidate] : candidates)
      if (candidate.questions.empty()) values.emplace(path, smi_log::Value{candidate.yaml, {}});
  }

  sim::Expected<void> write_and_ask() {
    if (auto written = write_what_fits(); !written) return written;
    return ask_twin();
  }

  sim::Expected<void> ask_twin() {
    const auto refuse = [](const nvml::Failure& failure) {
      return sim::fail({.what = failure.message(), .place = {"the machine file", 0, 0}});
    };
    auto driver = sim::SimulatedDriver::create(out_.yaml, {.time = "virtual"});
    if (!driver) return refuse(driver.error());
    const auto library = nvml::Library::from_table(driver->table());
    if (!library) return refuse(library.error());
    twin_ = ask_everything(*library);
    return {};
  }

  // Parts that need others are written with all others; what contradicts them is left out.
  sim::Expected<void> write_what_fits() {
    for (int tries = 0;; ++tries) {
      auto written = write();
      if (written) return written;
      if (choose_all()) continue;
      if (tries == kMostTries || !leave_out(written.error())) return written;
    }
  }

  // Whether there are candidates for the field that a problem is about; they are left out then.
  bool leave_out(const sim::Problem& problem) {
    if (problem.field.empty()) return false;
    const auto drop = [&](Candidates& candidates) {
      return std::erase_if(candidates, [&](const auto& candidate) {
        return candidate.first != "name" && is_within(candidate.first, problem.field);
      });
    };
    std::size_t dropped = problem.owner.kind == sim::Owner::Kind::machine ? drop(host_) : 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (problem.owner.has_gpu(i)) dropped += drop(candidates_[i]);
    if (dropped > 0) notes_.push_back("left out: " + sim::text_of(problem));
    return dropped > 0;
  }

  // pcie_topology.root_complexes is within pcie_topology, and each within itself.
  static bool is_within(std::string_view path, std::string_view field) {
    return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
  }

  bool choose_all() {
    bool any = false;
    const auto choose = [&any](Candidates& candidates) {
      for (auto& [path, candidate] : candidates) any = any || !candidate.questions.empty(), candidate.questions.clear();
    };
    choose(host_);
    for (auto& candidates : candidates_) choose(candidates);
    return any;
  }

  // Whether something was added. A candidate that is chosen asks no more.
  bool choose() {
    bool any = false;
    for (auto& entry : host_) {
      auto& candidate = entry.second;  // clang 14 takes no structured binding into a lambda
      const auto differs = [&](const Object& object) { return differ(object, candidate); };
      if (candidate.questions.empty()) continue;
      if (!differs(answers_.machine()) &&
          std::none_of(gpus_.begin(), gpus_.end(), [&](auto* gpu) { return differs(*gpu); }))
        continue;
      candidate.questions.clear();
      any = true;
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      for (auto& [path, candidate] : candidates_[i]) {
        if (candidate.questions.empty() || !differ(*gpus_[i], candidate)) continue;
        candidate.questions.clear();
        any = true;
      }
    return any;
  }

  bool differ(const Object& object, const Candidate& candidate) const {
    const auto* twin = counterpart(object, twin_);
    if (twin == nullptr) return true;
    return std::any_of(candidate.questions.begin(), candidate.questions.end(),
                       [&](const std::string& question) { return !same_answers(object, *twin, question); });
  }

  const Answers& answers_;
  std::vector<const Object*> gpus_;
  Candidates host_;
  std::vector<Candidates> candidates_;  // of each GPU
  std::vector<std::string> notes_;
  std::map<std::pair<std::string, std::string>, sim::Expected<void>> checked_;  // a path and its value
  std::string driver_;
  Answers twin_;
  Captured out_;
};

}  // namespace

sim::Expected<Captured> machine_file(const Answers& answers) { return Writer(answers).write_file(); }

}  // namespace nvmlkit::capture
