#include "cli/node.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/host_name.hpp"
#include "cli/node_log.hpp"
#include "cli/node_metrics.hpp"
#include "cli/node_problems.hpp"
#include "cli/node_scenarios.hpp"
#include "cli/selector.hpp"
#include "kernel_log/output.hpp"
#include "node/due.hpp"
#include "node/follower.hpp"
#include "node/inotify.hpp"
#include "node/ready.hpp"
#include "node/waiter.hpp"
#include "node/watched_folder.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/follow.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A machine that many programs change costs a part of a CPU at most; the first change after some rest is answered at
// once.
constexpr int kRestPerWork = 3;
constexpr milliseconds kLongestRest{50};
constexpr milliseconds kRetry{1000};

// Which file it is, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileId&) const = default;
};

std::optional<FileId> id_of(const fs::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return FileId{about.st_dev, about.st_ino};
}

using Time = std::optional<milliseconds>;

Time sooner(Time a, Time b) { return a && b ? std::min(a, b) : a ? a : b; }

// The machine whose metrics are shown while this lives.
class Shown {
 public:
  Shown(std::optional<NodeMetrics>& metrics, const sim::Machine& machine) : metrics_(metrics) {
    if (metrics_) metrics_->follow(&machine);
  }
  ~Shown() {
    if (metrics_) metrics_->follow(nullptr);
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  std::optional<NodeMetrics>& metrics_;
};

class NodeLoop {
 public:
  explicit NodeLoop(const NodeOptions& options)
      : options_(options), identity_(options.identity.identity()), problems_(options.ready_file) {
    waiter_.prepare();
    if (!options.kernel_log.empty()) output_ = value_of(kernel_log::Output::open(options.kernel_log));
    if (std::error_code error; !options.scenarios.empty() && !fs::is_directory(options.scenarios, error))
      throw CommandError(of_argument("--scenarios", sim::unusable_file(options.scenarios, "is no folder")));
    if (!options.scenarios.empty()) folder_.emplace(options.scenarios);
    if (!options.metrics.empty())
      metrics_.emplace(options.metrics, options.metrics_names, identity_.name.empty() ? host_name() : identity_.name);
  }

  int run() {
    for (auto own = OwnMachine::kept_if_same; follow_one_machine(own) == End::replaced;) own = OwnMachine::kept;
    return 0;
  }

 private:
  enum class End { stopped, replaced };

  // Follows the state file until it is another one.
  End follow_one_machine(OwnMachine own) {
    DriverRoot root(options_.root, own);
    root.put_state();
    waiter_.watch(root.state());
    const auto file = id_of(root.state());
    const auto machine = attach(root.state().string());
    if (machine->access() == sim::Access::read_only)
      throw CommandError(
          sim::unusable_file(root.state().string(), "may only be read, and a node waits for changes in it"));
    node::Follower follower(*machine);
    std::optional<NodeLog> log;
    if (output_) log.emplace(*machine, root.state_folder(), options_.kernel_log, *output_);
    std::optional<NodeScenarios> scenarios;
    if (folder_) scenarios.emplace(*machine, root.state_folder(), *folder_, identity_);
    const Shown shown(metrics_, *machine);
    rendered_.reset();
    while (true) {
      const auto seen = sim::state::count_changes(*machine);
      // A scenario that looks at a condition again and again leaves the files as they are.
      const bool stale = failed_ || rendered_ != seen || Clock::now() >= phase_;
      const auto rest = stale ? update(root, *machine, log ? &*log : nullptr) : milliseconds(0);
      rendered_ = seen;
      auto woken = waiter_.wait({}, rest);
      // What they change is a change since `seen`. Nothing happens to a root that was never true.
      if (scenarios && ready_) scenarios->work();
      if (metrics_) metrics_->update(scenarios ? scenarios->status() : std::vector<scenario::ShelfStatus>());
      follower.arm(seen);
      if (!woken.stop && !woken.file && !woken.distrust)
        woken = waiter_.wait(descriptors(follower), time_to(scenarios));
      if (woken.distrust) rendered_.reset();
      if (woken.distrust) root.distrust();
      if (woken.distrust && scenarios) scenarios->distrust();
      if (woken.stop) return stop(root);
      const auto now = id_of(root.state());
      if (woken.file && now && now != file) return End::replaced;
    }
  }

  std::vector<int> descriptors(const node::Follower& follower) const {
    std::vector<int> out{follower.descriptor()};
    if (folder_ && ready_) out.push_back(folder_->descriptor());
    return out;
  }

  // How long until there is something to do although nobody changes anything.
  Time time_to(const std::optional<NodeScenarios>& scenarios) const {
    Time phase = failed_ ? Time(kRetry) : std::nullopt;
    if (!failed_ && phase_ != Clock::time_point::max())
      phase = std::max(std::chrono::ceil<milliseconds>(phase_ - Clock::now()), milliseconds(0));
    return sooner(phase, scenarios ? scenarios->next() : Time());
  }

  // Returns how long to rest.
  milliseconds update(DriverRoot& root, const sim::Machine& machine, NodeLog* log) {
    const auto begin = Clock::now();
    // Before the copy: a phase that begins in between is ahead.
    const auto phase = node::next_phase(machine);
    phase_ = phase ? begin + *phase : Clock::time_point::max();
    const auto copy = sim::Machine::create(machine.gpus().size());
    if (!copy) throw CommandError({.kind = sim::ProblemKind::out_of_memory});
    std::vector<Trouble> troubles;
    if (log)
      if (const auto written = log->write(); !written)
        troubles.push_back({options_.kernel_log, sim::message_of(written.error())});
    if (sim::state::copy_now(machine, *copy))
      for (const auto& problem : root.update(*copy))
        troubles.push_back({problem.path1().string(), problem.code().message()});
    else
      troubles.push_back({root.state().string(), "a writer of the machine is stopped"});
    failed_ = !troubles.empty();
    problems_.tell(troubles);
    if (!ready_ && !failed_) be_ready(root, *copy);
    const auto work = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    return std::min(work * kRestPerWork, kLongestRest);
  }

  void be_ready(const DriverRoot& root, const sim::Machine& machine) {
    ready_ = true;
    root.print(machine);
    if (metrics_) fmt::print("metrics: {}\n", metrics_->url());
    std::fflush(stdout);
    write_notices(options_.notices, root.path(), machine);
    problems_.be_ready();
    node::notify("READY=1\nSTATUS=follows the machine");
  }

  End stop(DriverRoot& root) {
    node::notify("STOPPING=1");
    std::error_code error;
    if (!options_.ready_file.empty()) fs::remove(options_.ready_file, error);
    if (options_.remove) {
      remove_notices(options_.notices);
      root.remove();
    }
    return End::stopped;
  }

  NodeOptions options_;
  scenario::NodeIdentity identity_;
  std::optional<kernel_log::Output> output_;
  std::optional<node::WatchedFolder> folder_;
  node::Waiter waiter_;
  NodeProblems problems_;
  std::optional<NodeMetrics> metrics_;     // after the waiter, which takes the signals before any other thread
  std::optional<std::uint32_t> rendered_;  // the count of changes that the files show
  Clock::time_point phase_;                // when they change although the count does not
  bool ready_ = false, failed_ = false;
};

int follow(const NodeOptions& options) try {
  if (!options.refuse.empty()) throw CommandError({.kind = sim::ProblemKind::impossible, .what = options.refuse});
  if (options.no_real_driver) refuse_real_driver();
  return NodeLoop(options).run();
} catch (const fs::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
} catch (const node::NoMoreInstances&) {
  throw CommandError(no_more_instances());
} catch (const std::system_error& error) {
  throw CommandError({.kind = sim::ProblemKind::impossible, .what = error.what()});
}

}  // namespace

int keep_node(const NodeOptions& options) try {
  // A killed node may have left one, and it may have had the number of this process.
  if (std::error_code error; !options.ready_file.empty()) fs::remove(options.ready_file, error);
  return follow(options);
} catch (const CommandError& error) {
  return show_last_problem(error, options.ready_file, options.linger);
}

}  // namespace nvmlkit::cli
