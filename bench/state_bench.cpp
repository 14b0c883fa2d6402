// What a getter costs while the machine grows and while others read it: in a private machine and in a state file, from
// 1 to 1,024 GPUs, from 1 to 16 processes. Processor time per call, because processes outnumber cores; every figure
// stands beside the smallest machine read by one process in the same run.
//
//   nvmlkit_state_bench [CALLS]      calls of each process; default 200000
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nvmlkit/generated/table.hpp>
#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/file.hpp"

namespace {

namespace abi = nvmlkit::abi;

[[noreturn]] void die(const std::string& message) {
  std::fprintf(stderr, "nvmlkit_state_bench: %s\n", message.c_str());
  std::exit(1);
}

template <class Function>
Function find(void* library, const char* symbol) {
  auto* const found = dlsym(library, symbol);
  if (found == nullptr) die(std::string("no symbol ") + symbol);
  return reinterpret_cast<Function>(found);
}

// Both ends of a pipe, for results and for the start signal.
struct Pipe {
  int ends[2];
  Pipe() {
    if (pipe(ends) != 0) die("no pipe");
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The life of one reader: loads the driver, reports that it is ready, waits for the others, reads all GPUs in turn.
void read_all(const Pipe& ready, const Pipe& start, const Pipe& results, long calls) {
  void* const library = dlopen(NVMLKIT_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) die(dlerror());
  const auto init = find<abi::nvmlReturn_t (*)()>(library, "nvmlInit_v2");
  const auto count_of = find<abi::nvmlReturn_t (*)(unsigned int*)>(library, "nvmlDeviceGetCount_v2");
  const auto handle_of =
      find<abi::nvmlReturn_t (*)(unsigned int, abi::nvmlDevice_t*)>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto clock_of = find<abi::nvmlReturn_t (*)(abi::nvmlDevice_t, abi::nvmlClockType_t, unsigned int*)>(
      library, "nvmlDeviceGetMaxClockInfo");
  unsigned int count = 0;
  if (init() != abi::NVML_SUCCESS || count_of(&count) != abi::NVML_SUCCESS) die("the machine does not start");
  std::vector<abi::nvmlDevice_t> gpus(count);
  for (unsigned int i = 0; i < count; ++i) handle_of(i, &gpus[i]);
  unsigned int mhz = 0;
  for (const auto gpu : gpus) clock_of(gpu, abi::NVML_CLOCK_MEM, &mhz);  // the first touch of its pages is not the call

  char signal = 'r';
  if (write(ready.ends[1], &signal, 1) != 1 || read(start.ends[0], &signal, 1) != 1) die("the bench was stopped");
  const double begin = cpu_seconds();
  std::size_t next = 0;
  for (long i = 0; i < calls; ++i) {
    if (clock_of(gpus[next], abi::NVML_CLOCK_MEM, &mhz) != abi::NVML_SUCCESS) die("the call fails");
    if (++next == gpus.size()) next = 0;
  }
  const double nanoseconds = (cpu_seconds() - begin) * 1e9 / static_cast<double>(calls);
  if (write(results.ends[1], &nanoseconds, sizeof nanoseconds) != sizeof nanoseconds) die("the bench was stopped");
}

// The median over the processes.
double measure(int processes, long calls) {
  const Pipe ready, start, results;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) die("cannot fork");
    if (child == 0) {
      read_all(ready, start, results, calls);
      _exit(0);
    }
    children.push_back(child);
  }
  std::vector<char> signals(static_cast<std::size_t>(processes), 's');
  for (char signal; auto& s : signals) {
    if (read(ready.ends[0], &signal, 1) != 1) die("a reader ended");
    static_cast<void>(s);
  }
  if (write(start.ends[1], signals.data(), signals.size()) != static_cast<ssize_t>(signals.size())) die("no start");
  std::vector<double> times(static_cast<std::size_t>(processes));
  for (auto& time : times)
    if (read(results.ends[0], &time, sizeof time) != sizeof time) die("a reader ended");
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  std::nth_element(times.begin(), times.begin() + processes / 2, times.end());
  return times[static_cast<std::size_t>(processes) / 2];
}

// Says in the environment which machine the readers see.
void choose(bool shared, int gpus, const std::string& file) {
  setenv("NVMLKIT_MACHINE", "h100", 1);
  setenv("NVMLKIT_GPU_COUNT", std::to_string(gpus).c_str(), 1);
  unsetenv("NVMLKIT_STATE");
  if (!shared) return;
  const auto machine = nvmlkit::sim::load_machine(nvmlkit::sim::Environment::process());
  if (!machine) die(nvmlkit::sim::text_of(machine.error()));
  if (const auto saved = nvmlkit::sim::state::save(**machine, file, "bench"); !saved)
    die(nvmlkit::sim::text_of(saved.error()));
  setenv("NVMLKIT_STATE", file.c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  const long calls = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 200000;
  if (calls <= 0) die("expected a number of calls");
  const auto file = std::filesystem::temp_directory_path() / ("nvmlkit_state_bench_" + std::to_string(getpid()));
  std::printf("nvmlDeviceGetMaxClockInfo, processor time per call, median over processes\n");
  std::printf("%-10s%8s%12s%10s%10s\n", "machine", "GPUs", "processes", "ns", "ratio");
  double first = 0;
  for (const bool shared : {false, true})
    for (const int gpus : {1, 8, 64, 1024})
      for (const int processes : {1, 4, 16}) {
        choose(shared, gpus, file);
        const double time = measure(processes, calls);
        if (first == 0) first = time;
        std::printf("%-10s%8d%12d%10.2f%10.2f\n", shared ? "shared" : "private", gpus, processes, time, time / first);
        std::fflush(stdout);
      }
  std::filesystem::remove(file);
}
