// Many processes on one machine: whoever reads sees whole changes, however long it goes on.
//   NVMLKIT_SOAK_SECONDS=3600   runs it for an hour; a few seconds otherwise
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <vector>

#include "sim/state/lock.hpp"
#include "sim/state/read.hpp"
#include "sim/transaction/edit.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::seconds duration() {
  const char* seconds = std::getenv("NVMLKIT_SOAK_SECONDS");
  return std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 4);
}

// What the processes of the test tell their parent.
struct Tally {
  std::atomic<std::uint64_t> reads, writes, torn, refused;
};

// Fields from one end of the block to the other, a text that is longer than a cache line among them.
void stamp(model::Gpu& gpu, std::uint32_t n) {
  gpu.name = std::string(64, static_cast<char>('A' + n % 26));
  gpu.power.limit_mw = n;
  gpu.ecc.errors.aggregate.double_bit.total = n;
  gpu.supported_clocks.memory_clocks.items[7].graphics_clocks.items[511] = n;
  gpu.accounting.buffer_size = n;
}
bool agrees(const model::Gpu& gpu) {
  const auto n = *gpu.power.limit_mw;
  const auto name = gpu.name->view();
  return name.size() == 64 && name.find_first_not_of(static_cast<char>('A' + n % 26)) == std::string_view::npos &&
         *gpu.ecc.errors.aggregate.double_bit.total == n &&
         gpu.supported_clocks.memory_clocks.items[7].graphics_clocks.items[511] == n &&
         *gpu.accounting.buffer_size == n;
}

class StateSoak : public StateFile {
 protected:
  void SetUp() override {
    StateFile::SetUp();
    void* shared = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    tally_ = new (shared) Tally{};
  }
  void TearDown() override {
    munmap(tally_, sizeof(Tally));
    StateFile::TearDown();
  }

  void read(const Machine& machine, Clock::time_point end) const {
    for (std::size_t i = 0; Clock::now() < end; ++i) {
      const auto& gpu = machine.gpus()[i % machine.gpus().size()];
      bool good = false;
      // What a refused read saw does not count, as its caller is told.
      if (!state::consistently(machine, machine.sequence(gpu), [&] { good = agrees(gpu); }))
        ++tally_->refused;
      else
        tally_->torn += !good;
      ++tally_->reads;
    }
  }
  void write(const Machine& machine, Clock::time_point end, std::uint32_t n) const {
    // On a slow machine (qemu), until there is enough to look at.
    for (; Clock::now() < end || tally_->writes <= 100; n += 4) {
      const state::Lock lock(machine);
      if (!lock) {
        ++tally_->refused;
        return;
      }
      transaction::Edit edit(lock, n % machine.gpus().size());
      stamp(*edit, n);
      edit.commit();
      ++tally_->writes;
    }
  }

  Tally* tally_ = nullptr;
};

TEST_F(StateSoak, SixteenReadersAndFourWritersSeeNoTornValue) {
  const auto file = make(3);
  {
    const auto machine = attach(file);
    for (auto& gpu : machine->gpus()) stamp(gpu, 0);
  }
  const auto end = Clock::now() + duration();
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < 20; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto machine = attach(file);  // each process maps the file itself
    if (!machine) _exit(1);
    i < 16 ? read(*machine, end) : write(*machine, end, i);
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  RecordProperty("reads", std::to_string(tally_->reads));
  RecordProperty("writes", std::to_string(tally_->writes));
  EXPECT_EQ(tally_->torn, 0U);
  EXPECT_EQ(tally_->refused, 0U);
  EXPECT_GT(tally_->reads, 1000U);
  EXPECT_GT(tally_->writes, 100U);
}

}  // namespace
}  // namespace nvmlkit::sim
