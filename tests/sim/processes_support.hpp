// Processes that live and die for a test, and what a machine says about them.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <map>
#include <utility>
#include <vector>

#include "sim/processes/accounting.hpp"
#include "sim/processes/clients.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/lock.hpp"
#include "sim/state/read.hpp"
#include "sim/transaction/edit.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim::processes {

inline constexpr std::uint64_t kMib = 1 << 20;

// A process that does nothing until it is killed. It ends with the test, however the test ends.
class Idle {
 public:
  Idle() : pid_(fork()) {
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
  }
  Idle(Idle&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Idle& operator=(Idle&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Idle() {
    die();
    reap();
  }

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  void die() const {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);  // a zombie from here on
  }
  void reap() {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

class Processes : public StateFile {
 protected:
  static Memory memory(const Machine& machine, std::size_t gpu = 0) {
    Memory out{};
    state::consistently(machine, machine.sequence(machine.gpus()[gpu]),
                        [&] { out = memory_of(machine, machine.gpus()[gpu], gpu); });
    return out;
  }
  static std::multimap<std::uint32_t, std::uint64_t> clients(const Machine& machine, std::size_t gpu = 0) {
    std::multimap<std::uint32_t, std::uint64_t> out;
    state::consistently(machine, machine.sequence(machine.gpus()[gpu]), [&] {
      out.clear();
      for_each_client(machine, gpu, [&](const Client& client, Life) { out.emplace(client.pid, client.memory_bytes); });
    });
    return out;
  }
  static std::vector<Record> records(const Machine& machine, std::size_t gpu = 0) {
    remove_ended(machine, gpu);
    std::vector<Record> out;
    for_each_record(machine, machine.gpus()[gpu], gpu, [&](const Record& record) { out.push_back(record); });
    return out;
  }
  static Request request(std::uint32_t pid, std::uint64_t bytes = 0) {
    Request out;
    out.pid = pid;
    out.memory_bytes = bytes;
    return out;
  }
  template <class Change>
  static void edit(const Machine& machine, std::size_t gpu, Change change) {
    const state::Lock lock(machine);
    ASSERT_TRUE(lock);
    transaction::Edit edit(lock, gpu);
    change(*edit);
    edit.commit();
  }
  static void set_mode(const Machine& machine, std::uint32_t mode) {
    edit(machine, 0, [&](model::Gpu& gpu) { gpu.compute_mode = mode; });
  }
  static void account(const Machine& machine, std::size_t gpu = 0) {
    edit(machine, gpu, [](model::Gpu& changed) {
      changed.accounting.mode = model::EnableState::enabled;
      forget_all(changed);
    });
  }
};

}  // namespace nvmlkit::sim::processes
