#include "capture/machine.hpp"

#include <algorithm>
#include <nvmlkit/sim/table.hpp>

#include "capture/parts.hpp"
#include "capture/record.hpp"
#include "capture/walk.hpp"
#include "smi_log/machine.hpp"
#include "smi_log/machine_text.hpp"

namespace nvmlkit::capture {
namespace {

constexpr int kMostRounds = 6;

// Writes a file, asks the machine that it describes the same questions, and adds what that answers otherwise. So a
// value that the built-in machine below has anyway, or that follows from others, is in no file.
class Writer {
 public:
  explicit Writer(const Answers& answers) : answers_(answers), gpus_(answers.gpus()), candidates_(gpus_.size()) {}

  Captured run() {
    gather();
    for (int round = 0; round < kMostRounds; ++round) {
      try {
        write();
      } catch (const smi_log::Refused&) {
        // A part that needs another one.
        if (!choose_all()) throw;
        write();
      }
      ask_twin();
      if (!choose()) break;
    }
    out_.comparison = compare(answers_, twin_);
    return std::move(out_);
  }

 private:
  void gather() {
    Record host(answers_.machine(), host_, notes_);
    record_host(host, answers_);
    driver_ = host.text("nvmlSystemGetDriverVersion", "version");
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      Record gpu(*gpus_[i], candidates_[i], notes_);
      record_gpu(gpu, answers_);
    }
    name_silent_gpus();
  }

  // A GPU that is lost does not tell what it is: one like the others.
  void name_silent_gpus() {
    const auto named =
        std::find_if(candidates_.begin(), candidates_.end(), [](const auto& gpu) { return gpu.contains("name"); });
    for (auto& gpu : candidates_)
      if (named != candidates_.end()) gpu.try_emplace("name", named->at("name"));
  }

  // The candidates that were chosen so far; those without questions always.
  void write() {
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
      out_.yaml = smi_log::write_machine_file(machine);
    }
    out_.notes = std::move(machine.notes);
  }

  static void put(const Candidates& candidates, smi_log::Values& values) {
    for (const auto& [path, candidate] : candidates)
      if (candidate.questions.empty()) values.emplace(path, smi_log::Value{candidate.yaml, {}});
  }

  void ask_twin() {
    auto driver = sim::SimulatedDriver::create(out_.yaml, {.time = "virtual"});
    if (!driver) throw smi_log::Refused({"the machine file", 0}, driver.error().message());
    const auto library = nvml::Library::from_table(driver->table());
    if (!library) throw smi_log::Refused({"the machine file", 0}, library.error().message());
    twin_ = ask_everything(*library);
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
    for (auto& [path, candidate] : host_) {
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
  std::string driver_;
  Answers twin_;
  Captured out_;
};

}  // namespace

Captured machine_file(const Answers& answers) { return Writer(answers).run(); }

}  // namespace nvmlkit::capture
