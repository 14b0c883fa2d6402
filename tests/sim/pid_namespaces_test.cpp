// Clients of GPUs in other PID namespaces, as containers have them: the host sees them under its numbers, containers do
// not see each other, and the end of each is noticed by all.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../emulator.hpp"
#include "processes_support.hpp"
#include "sim/processes/life.hpp"

namespace nvmlkit::sim::processes {
namespace {

// A process that is number 1 of a PID namespace of its own, with a /proc of its own. It does its work, then waits to be
// killed.
class Container {
 public:
  explicit Container(const std::function<void()>& work) {
    int number[2], ready[2];
    EXPECT_EQ(pipe(number), 0);
    EXPECT_EQ(pipe(ready), 0);
    outer_ = fork();
    if (outer_ == 0) enter(work, number[1], ready[1]);
    close(number[1]);
    close(ready[1]);
    char byte = 0;
    works_ = ::read(number[0], &pid_, sizeof pid_) == sizeof pid_ && ::read(ready[0], &byte, 1) == 1;
    close(number[0]);
    close(ready[0]);
  }
  ~Container() { end(); }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  explicit operator bool() const { return works_; }
  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }  // on the host
  void end() {
    if (outer_ <= 0) return;
    if (pid_ > 0) kill(pid_, SIGKILL);
    kill(outer_, SIGKILL);
    waitpid(outer_, nullptr, 0);
    outer_ = 0;
    while (pid_ > 0 && running_since(pid())) usleep(1000);
  }

 private:
  [[noreturn]] static void enter(const std::function<void()>& work, int number, int ready) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(1);
    const auto inner = fork();
    if (inner == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool own_files = mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                             mount("proc", "/proc", "proc", 0, nullptr) == 0;
      if (!own_files) _exit(1);
      work();
      [[maybe_unused]] const auto told = write(ready, "r", 1);
      for (;;) pause();
    }
    [[maybe_unused]] const auto told = write(number, &inner, sizeof inner);
    close(number);
    close(ready);
    for (;;) pause();
  }

  pid_t outer_ = 0, pid_ = 0;
  bool works_ = false;
};

class PidNamespaces : public Processes {
 protected:
  // Lets this process use GPU 0 for the rest of its life.
  static void use(const std::string& file, bool signs_life = true) {
    auto own = request(static_cast<std::uint32_t>(getpid()), 64 * kMib);
    own.signs_life = signs_life;
    auto machine = attach(file);
    if (processes::attach(*machine, 0, own) != Outcome::done) _exit(2);
    static std::unique_ptr<Machine> kept;
    kept = std::move(machine);
  }
};

struct Sight {
  std::uint32_t pid;
  Life life;

  bool operator==(const Sight&) const = default;
};

std::vector<Sight> sights(const Machine& machine) {
  std::vector<Sight> out;
  for_each_client(machine, 0, [&](const Client& client, Life life) { out.push_back({client.pid, life}); });
  return out;
}

TEST_F(PidNamespaces, TheHostSeesTheProcessUnderItsNumber) {
  NVMLKIT_NEEDS_START_TIMES();
  const auto file = make(1);
  const auto machine = attach(file);
  const auto before = memory(*machine).used;
  Container container([&] { use(file); });
  if (!container) GTEST_SKIP() << "needs the right to make PID namespaces";
  EXPECT_EQ(machine->process_table(0).clients[0].pid, 1U) << "as it knows itself";
  EXPECT_EQ(sights(*machine), (std::vector<Sight>{{container.pid(), Life::runs}}));
  EXPECT_EQ(memory(*machine).used, before + 64 * kMib);
  container.end();
  EXPECT_EQ(sights(*machine), std::vector<Sight>{});
  EXPECT_EQ(memory(*machine).used, before);
}

TEST_F(PidNamespaces, ContainersDoNotSeeEachOtherButNoticeTheEnd) {
  const auto file = make(1);
  Container first([&] { use(file); });
  if (!first) GTEST_SKIP() << "needs the right to make PID namespaces";
  const auto seen_from_another = [&](const std::vector<Sight>& expected, std::uint64_t used) {
    Container second([&] {
      const auto machine = attach(file);
      if (sights(*machine) != expected) _exit(3);
      std::uint64_t held = 0;
      for_each_client(*machine, 0, [&](const Client& client, Life) { held += client.memory_bytes; });
      if (held != used) _exit(4);
    });
    return bool(second);
  };
  EXPECT_TRUE(seen_from_another({{1, Life::elsewhere}}, 64 * kMib));
  first.end();
  EXPECT_TRUE(seen_from_another({}, 0));
}

// Without signs of life, only the host can tell.
TEST_F(PidNamespaces, TheHostNeedsNoSigns) {
  NVMLKIT_NEEDS_START_TIMES();
  const auto file = make(1);
  const auto machine = attach(file);
  Container container([&] { use(file, false); });
  if (!container) GTEST_SKIP() << "needs the right to make PID namespaces";
  EXPECT_EQ(sights(*machine), (std::vector<Sight>{{container.pid(), Life::runs}}));
  container.end();
  EXPECT_EQ(sights(*machine), sees_every_process() ? std::vector<Sight>{} : (std::vector<Sight>{{1, Life::elsewhere}}));
}

// Every container has a process 1.
TEST_F(PidNamespaces, EqualNumbersOfTwoContainersAreTwoProcesses) {
  NVMLKIT_NEEDS_START_TIMES();
  const auto file = make(1);
  const auto machine = attach(file);
  Container first([&] { use(file); }), second([&] { use(file); });
  if (!first || !second) GTEST_SKIP() << "needs the right to make PID namespaces";
  EXPECT_EQ(sights(*machine), (std::vector<Sight>{{first.pid(), Life::runs}, {second.pid(), Life::runs}}));
  EXPECT_EQ(detach(*machine, 0, 1), Outcome::not_attached) << "no process of this namespace";
  first.end();
  EXPECT_EQ(sights(*machine), (std::vector<Sight>{{second.pid(), Life::runs}}));
  remove_ended(*machine, 0);
  EXPECT_EQ(sights(*machine), (std::vector<Sight>{{second.pid(), Life::runs}}));
}

}  // namespace
}  // namespace nvmlkit::sim::processes
