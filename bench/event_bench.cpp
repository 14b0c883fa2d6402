// How long an event takes to the processes that wait for it: nvmlkit_event_bench [PROCESSES] [ROUNDS]
// Each process waits in nvmlEventSetWait on a machine that is up; this one raises an Xid, every millisecond one, and
// each says when it came back. Median and worst delay, in microseconds.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nvmlkit/generated/abi.hpp>
#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/file.hpp"
#include "sim/steering/fault.hpp"

namespace {

using namespace nvmlkit;

struct Board {
  std::atomic<int> waiting;
  std::atomic<long> raised_at[4096];  // ns; by round
};

long now() {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1'000'000'000L + at.tv_nsec;
}

template <class... Arguments>
abi::nvmlReturn_t call(const char* name, Arguments... arguments) {
  static void* const library = dlopen(NVMLKIT_DRIVER_LIBRARY, RTLD_NOW);
  return reinterpret_cast<abi::nvmlReturn_t (*)(Arguments...)>(dlsym(library, name))(arguments...);
}

// Its delays go to `out`, a slot for each round.
int listen(Board& board, long* out, int rounds) {
  abi::nvmlDevice_t gpu = nullptr;
  abi::nvmlEventSet_t set = nullptr;
  if (call("nvmlInit_v2") != 0 || call("nvmlDeviceGetHandleByIndex_v2", 0U, &gpu) != 0 ||
      call("nvmlEventSetCreate", &set) != 0 || call("nvmlDeviceRegisterEvents", gpu, 8ULL, set) != 0)
    return 1;
  ++board.waiting;
  for (int round = 0; round < rounds; ++round) {
    abi::nvmlEventData_t data{};
    if (call("nvmlEventSetWait_v2", set, &data, 60'000U) != 0) return 1;
    out[round] = now() - board.raised_at[round].load();
    ++board.waiting;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc > 1 ? std::atoi(argv[1]) : 64,
            rounds = std::min(argc > 2 ? std::atoi(argv[2]) : 200, 4096);
  const std::string path = "/tmp/nvmlkit_event_bench_" + std::to_string(getpid());
  const auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}});
  if (processes < 1 || rounds < 1 || !machine) return 2;
  if (const auto saved = sim::state::save(**machine, path, "h100"); !saved) {
    std::fprintf(stderr, "nvmlkit_event_bench: %s\n", sim::text_of(saved.error()).c_str());
    return 2;
  }
  setenv("NVMLKIT_STATE", path.c_str(), 1);
  const auto size =
      sizeof(Board) + sizeof(long) * static_cast<std::size_t>(processes) * static_cast<std::size_t>(rounds);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& board = *static_cast<Board*>(memory);
  auto* delays = reinterpret_cast<long*>(&board + 1);
  for (int i = 0; i < processes; ++i)
    if (fork() == 0) _exit(listen(board, delays + static_cast<long>(i) * rounds, rounds));
  const auto up = sim::state::attach(path);
  if (!up) return 2;
  const std::vector<std::string> words = {"gpu=0", "xid", "31"};
  for (int round = 0; round < rounds; ++round) {
    while (board.waiting.load() < processes * (round + 1)) usleep(200);
    usleep(1000);  // until the last one sleeps
    board.raised_at[round] = now();
    if (!sim::steering::inject(**up, words)) return 1;
  }
  bool good = true;
  for (int i = 0; i < processes; ++i) {
    int status = 0;
    wait(&status);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  unlink(path.c_str());
  std::vector<long> all(delays, delays + static_cast<long>(processes) * rounds);
  std::sort(all.begin(), all.end());
  std::printf("%d processes, %d events: median %.0f us, 99 %% %.0f us, worst %.0f us\n", processes, rounds,
              static_cast<double>(all[all.size() / 2]) / 1000, static_cast<double>(all[all.size() * 99 / 100]) / 1000,
              static_cast<double>(all.back()) / 1000);
  return good ? 0 : 1;
}
