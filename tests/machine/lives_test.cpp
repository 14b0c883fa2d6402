// One machine and several processes: random sequences of setters, faults, workloads and deaths, each in a process of
// its own, and after every step two other processes must both see what a plain reference says.
//   NVMLKIT_LIVES_STEPS=10000   how many steps; 5000 otherwise
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "../taken.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "reference.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/file.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/reading.hpp"
#include "worker.hpp"

namespace nvmlkit::machine_test {
namespace {

using sim::processes::Outcome;

constexpr std::uint32_t kGpus = 3;
constexpr std::uint32_t kLowestLimitMw = 200000, kHighestLimitMw = 700000;
constexpr std::uint64_t kMib = 1ULL << 20;

int steps() {
  const char* text = std::getenv("NVMLKIT_LIVES_STEPS");
  return text != nullptr ? std::atoi(text) : 5000;
}

class Lives : public testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);  // a worker that died is an answer
    file_ = testing::TempDir() + "lives_" + std::to_string(getpid());
    std::string error;
    const auto fresh = sim::taken(
        sim::load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", std::to_string(kGpus)}}), error);
    ASSERT_TRUE(fresh) << error;
    fresh->host().clock = fresh->host().clock.paced(sim::real_time_ns(), 0);  // time moves only when told
    ASSERT_TRUE(sim::taken(sim::state::save(*fresh, file_, "h100"), error)) << error;
    machine_ = sim::taken(sim::state::attach(file_), error);
    ASSERT_TRUE(machine_) << error;
    for (int i = 0; i < 4; ++i) workers_.emplace_back(file_);
    for (std::uint32_t i = 0; i < kGpus; ++i) reference_[i].joules = energy_mj(i) / 1000.0;
  }
  void TearDown() override {
    for (auto& gpu : reference_)
      for (const auto& [pid, bytes] : gpu.clients) end_process(pid);
    workers_.clear();
    unlink(file_.c_str());
  }

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::int64_t tell(Op op, std::uint32_t gpu, std::uint64_t a = 0, std::uint64_t b = 0) {
    return workers_[pick(static_cast<std::uint32_t>(workers_.size()))].tell({op, gpu, a, b}).result;
  }

  double energy_mj(std::uint32_t gpu) const {
    const auto& it = machine_->gpus()[gpu];
    return static_cast<double>(*sim::telemetry::Reading(*machine_, it)(it.power.total_energy_consumption_mj));
  }
  double watts(std::uint32_t gpu, std::int64_t at_ns) const {
    const auto& it = machine_->gpus()[gpu];
    const auto now = *sim::telemetry::Reading(*machine_, it, at_ns)(it.power.instant_draw_mw) / 1000.0;
    // At rest the machine file tells both, as a capture does; what it calls the draw is what adds up.
    return now - (it.power.instant_draw_mw.value - static_cast<double>(it.power.current_draw_mw.value)) / 1000.0;
  }

  // A process that does nothing but live.
  static pid_t start_process() {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it when the test dies
      for (;;) pause();
    }
    return child;
  }
  static void end_process(std::uint32_t pid) {
    kill(static_cast<pid_t>(pid), SIGKILL);
    waitpid(static_cast<pid_t>(pid), nullptr, 0);
  }

  std::string step(ReferenceGpu& gpu, std::uint32_t index);
  // The changes of a step. Each returns its name.
  std::string set_power_limit(ReferenceGpu& gpu, std::uint32_t index);
  std::string set_persistence(ReferenceGpu& gpu, std::uint32_t index);
  std::string set_compute_mode(ReferenceGpu& gpu, std::uint32_t index);
  std::string set_ecc(ReferenceGpu& gpu, std::uint32_t index);
  std::string reset(ReferenceGpu& gpu, std::uint32_t index);
  std::string load(ReferenceGpu& gpu, std::uint32_t index);
  std::string add_ecc_errors(ReferenceGpu& gpu, std::uint32_t index);
  std::string clear_ecc_counts(ReferenceGpu& gpu, std::uint32_t index);
  std::string attach_process(ReferenceGpu& gpu, std::uint32_t index);
  std::string kill_process(ReferenceGpu& gpu, std::uint32_t index);
  std::string lose_or_heal(ReferenceGpu& gpu, std::uint32_t index);
  std::string replace_worker(ReferenceGpu& gpu, std::uint32_t index);
  void advance();
  void check(const std::string& what);

  std::string file_;
  std::unique_ptr<sim::Machine> machine_;
  std::vector<Worker> workers_;
  ReferenceGpu reference_[kGpus];
  std::mt19937 random_{20261121};
};

// Energy is what power adds up to: the reference adds up small pieces.
void Lives::advance() {
  const std::uint64_t ms = 1 + pick(20000);
  const auto before = sim::now_ns(*machine_);
  double begin[kGpus];
  for (std::uint32_t i = 0; i < kGpus; ++i) begin[i] = energy_mj(i);
  ASSERT_EQ(tell(Op::advance, 0, ms), 0);
  const auto after = sim::now_ns(*machine_);
  ASSERT_EQ(after - before, static_cast<std::int64_t>(ms) * 1'000'000);
  constexpr int kPieces = 1000;
  for (std::uint32_t i = 0; i < kGpus; ++i) {
    double sum = 0;
    const double piece_s = static_cast<double>(after - before) * 1e-9 / kPieces;
    for (int k = 0; k < kPieces; ++k)
      sum += watts(i, before + static_cast<std::int64_t>((k + 0.5) * piece_s * 1e9)) * piece_s;
    reference_[i].joules += sum;
    EXPECT_LE(watts(i, after - 1), reference_[i].power_limit_mw / 1000.0 + 1) << "GPU " << i;
    EXPECT_NEAR((energy_mj(i) - begin[i]) / 1000.0, sum, 0.002 * sum + 0.01) << "GPU " << i << ", " << ms << " ms";
  }
}

// What a setter returns, unless the GPU is lost.
std::int64_t expected(const ReferenceGpu& gpu, std::int64_t result) {
  return gpu.lost ? std::int64_t{abi::NVML_ERROR_GPU_IS_LOST} : result;
}

std::string Lives::set_power_limit(ReferenceGpu& gpu, std::uint32_t index) {
  const std::uint32_t mw = 150000 + pick(600000);
  const bool allowed = mw >= kLowestLimitMw && mw <= kHighestLimitMw;
  EXPECT_EQ(tell(Op::set_power_limit, index, mw),
            expected(gpu, allowed ? abi::NVML_SUCCESS : abi::NVML_ERROR_INVALID_ARGUMENT));
  if (allowed && !gpu.lost) gpu.power_limit_mw = mw;
  return "power limit";
}

std::string Lives::set_persistence(ReferenceGpu& gpu, std::uint32_t index) {
  const auto mode = pick(2);
  EXPECT_EQ(tell(Op::set_persistence, index, mode), expected(gpu, abi::NVML_SUCCESS));
  if (!gpu.lost) gpu.persistence = mode;
  return "persistence mode";
}

std::string Lives::set_compute_mode(ReferenceGpu& gpu, std::uint32_t index) {
  const std::uint32_t mode = pick(3) == 0 ? abi::NVML_COMPUTEMODE_EXCLUSIVE_PROCESS : abi::NVML_COMPUTEMODE_DEFAULT;
  EXPECT_EQ(tell(Op::set_compute_mode, index, mode), expected(gpu, abi::NVML_SUCCESS));
  if (!gpu.lost) gpu.compute_mode = mode;
  return "compute mode";
}

std::string Lives::set_ecc(ReferenceGpu& gpu, std::uint32_t index) {
  const auto mode = pick(2);
  EXPECT_EQ(tell(Op::set_ecc, index, mode), expected(gpu, abi::NVML_SUCCESS));
  if (!gpu.lost) gpu.ecc_pending = mode;
  return "ECC mode";
}

std::string Lives::reset(ReferenceGpu& gpu, std::uint32_t index) {
  const bool used = !gpu.clients.empty();
  EXPECT_EQ(tell(Op::reset, index), expected(gpu, used ? abi::NVML_ERROR_IN_USE : abi::NVML_SUCCESS));
  if (used || gpu.lost) return "refused reset";
  gpu.ecc_current = gpu.ecc_pending;
  gpu.power_limit_mw = kHighestLimitMw;
  gpu.corrected_volatile = 0;
  return "reset";
}

std::string Lives::load(ReferenceGpu& gpu, std::uint32_t index) {
  const std::uint32_t percent = pick(4) == 0 ? 0 : 1 + pick(100);
  EXPECT_EQ(tell(Op::load, index, percent), 0);
  gpu.load = percent;
  return "load";
}

std::string Lives::add_ecc_errors(ReferenceGpu& gpu, std::uint32_t index) {
  const std::uint64_t count = 1 + pick(5);
  EXPECT_EQ(tell(Op::add_ecc, index, count), 0);
  if (gpu.ecc_current == 1) gpu.corrected_volatile += count, gpu.corrected_aggregate += count;
  return "ECC errors";
}

std::string Lives::clear_ecc_counts(ReferenceGpu& gpu, std::uint32_t index) {
  const auto result = tell(Op::clear_ecc_counts, index);
  if (gpu.lost || gpu.ecc_current == 0) return "counts that cannot be cleared";
  EXPECT_EQ(result, abi::NVML_SUCCESS);
  gpu.corrected_volatile = 0;
  return "cleared counts";
}

std::string Lives::attach_process(ReferenceGpu& gpu, std::uint32_t index) {
  if (gpu.clients.size() >= 8) return "nothing";
  const auto pid = static_cast<std::uint32_t>(start_process());
  const std::uint64_t bytes = pick(20000) * kMib;
  const auto outcome = static_cast<Outcome>(tell(Op::attach, index, pid, bytes));
  const auto room = machine_->gpus()[index].memory.total_bytes.value_or(0) -
                    machine_->gpus()[index].memory.reserved_bytes.value_or(0) - gpu.held();
  const bool exclusive = gpu.compute_mode == abi::NVML_COMPUTEMODE_EXCLUSIVE_PROCESS && !gpu.clients.empty();
  EXPECT_EQ(outcome, gpu.lost       ? Outcome::unreachable
                     : exclusive    ? Outcome::exclusive
                     : bytes > room ? Outcome::out_of_memory
                                    : Outcome::done);
  if (outcome == Outcome::done)
    gpu.clients[pid] = bytes;
  else
    end_process(pid);
  return "new process";
}

std::string Lives::kill_process(ReferenceGpu& gpu, std::uint32_t) {
  if (gpu.clients.empty()) return "nothing";
  end_process(gpu.clients.begin()->first);
  gpu.clients.erase(gpu.clients.begin());
  return "death of a process";
}

std::string Lives::lose_or_heal(ReferenceGpu& gpu, std::uint32_t index) {
  EXPECT_EQ(tell(gpu.lost ? Op::heal : Op::lose, index), 0);
  gpu.lost = !gpu.lost;
  return gpu.lost ? "lost GPU" : "healed GPU";
}

std::string Lives::replace_worker(ReferenceGpu&, std::uint32_t) {
  auto& worker = workers_[pick(static_cast<std::uint32_t>(workers_.size()))];
  worker = Worker(file_);
  return "death of a worker";
}

// One random change, told to a random process and to the reference. Returns what it was, for messages.
std::string Lives::step(ReferenceGpu& gpu, std::uint32_t index) {
  using Change = std::string (Lives::*)(ReferenceGpu&, std::uint32_t);
  static constexpr Change kChanges[] = {
      &Lives::set_power_limit,
      &Lives::set_persistence,
      &Lives::set_compute_mode,
      &Lives::set_ecc,
      &Lives::reset,
      &Lives::load,
      &Lives::add_ecc_errors,
      &Lives::clear_ecc_counts,
      &Lives::attach_process,
      &Lives::kill_process,
      &Lives::lose_or_heal,
      &Lives::replace_worker,
  };
  return (this->*kChanges[pick(std::size(kChanges))])(gpu, index);
}

void Lives::check(const std::string& what) {
  const auto first = pick(static_cast<std::uint32_t>(workers_.size()));
  const auto second = (first + 1) % static_cast<std::uint32_t>(workers_.size());
  const Answer one = workers_[first].tell({Op::read, 0, 0, 0}), other = workers_[second].tell({Op::read, 0, 0, 0});
  ASSERT_EQ(one.result, 0) << what;
  ASSERT_EQ(one.seen.count, kGpus) << what;
  // Time stands still between the two, so that the same instant is read twice.
  ASSERT_EQ(std::memcmp(&one.seen, &other.seen, sizeof(Snapshot)), 0) << what << ": two processes see two machines";
  for (std::uint32_t i = 0; i < kGpus; ++i) {
    ASSERT_EQ(difference(reference_[i], one.seen.gpus[i]), "") << "GPU " << i << " after: " << what;
    if (!reference_[i].lost) reference_[i].last_energy_mj = one.seen.gpus[i].energy_mj;
  }
}

TEST_F(Lives, EveryProcessSeesWhatTheReferenceSays) {
  check("the start");
  for (int i = 0; i < steps() && !HasFailure(); ++i) {
    const auto index = pick(kGpus);
    const auto what =
        "step " + std::to_string(i) + ", " + step(reference_[index], index) + " of GPU " + std::to_string(index);
    if (pick(3) == 0) advance();
    check(what);
  }
  for (std::uint32_t i = 0; i < kGpus; ++i)
    EXPECT_NEAR(energy_mj(i) / 1000.0, reference_[i].joules, 0.001 * reference_[i].joules) << "GPU " << i;
}

}  // namespace
}  // namespace nvmlkit::machine_test
