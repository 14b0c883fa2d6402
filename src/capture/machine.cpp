#include "capture/machine.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nvmlkit/sim/table.hpp>

#include "capture/failing.hpp"
#include "capture/parts.hpp"
#include "capture/record.hpp"
#include "capture/walk.hpp"
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

  Captured run() {
    gather();
    for (int round = 0; round < kMostRounds; ++round) {
      write_what_fits();
      ask_twin();
      if (!choose()) break;
    }
    if (const auto failing = failing_functions(answers_, twin_); !failing.empty()) {
      Record(answers_.machine(), host_, notes_).set("failing_functions", failing, {});
      write_what_fits();
      ask_twin();
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
      const auto [known, fresh] = problems_.try_emplace({at->first, at->second.yaml});
      if (fresh) known->second = problem_of(at->first, at->second.yaml, gpu);
      if (!known->second.empty()) notes_.push_back(object.name + ": left out: " + known->second);
      at = known->second.empty() ? std::next(at) : candidates.erase(at);
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

  // Parts that need others are written with all others; what contradicts them is left out.
  void write_what_fits() {
    for (int tries = 0;; ++tries) {
      try {
        return write();
      } catch (const smi_log::Refused& refused) {
        if (choose_all()) continue;
        if (tries == kMostTries || !drop_named(refused.what())) throw;
      }
    }
  }

  // The candidates whose field a message is about: "GPU 1: mig.instances[0]: expected ...".
  bool drop_named(const std::string& message) {
    std::size_t dropped =
        std::erase_if(host_, [&](const auto& candidate) { return message.find(candidate.first) != std::string::npos; });
    for (auto& candidates : candidates_)
      dropped += std::erase_if(candidates, [&](const auto& candidate) {
        return candidate.first != "name" && message.find(candidate.first) != std::string::npos;
      });
    if (dropped > 0) notes_.push_back("left out: " + message);
    return dropped > 0;
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
  std::map<std::pair<std::string, std::string>, std::string> problems_;  // of a path and its value; empty: none
  std::string driver_;
  Answers twin_;
  Captured out_;
};

}  // namespace

Captured machine_file(const Answers& answers) { return Writer(answers).run(); }

}  // namespace nvmlkit::capture
