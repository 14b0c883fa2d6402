#include "worker.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../taken.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/faults/inject.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/file.hpp"
#include "sim/state/lock.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::machine_test {
namespace {

using namespace abi;

constexpr int kRefusedByMachine = 1000;  // beside the results of NVML

// The two ways a process has to the machine.
class Body {
 public:
  explicit Body(const std::string& state) {
    setenv("NVMLKIT_STATE", state.c_str(), 1);
    library_ = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    std::string error;
    machine_ = sim::taken(sim::state::attach(state), error);
    if (!library_ || !machine_ || call("nvmlInit_v2") != NVML_SUCCESS) _exit(1);
    unsigned int count = 0;
    if (call("nvmlDeviceGetCount_v2", &count) != NVML_SUCCESS) _exit(1);
    devices_.resize(count);
  }

  Answer carry_out(const Command& command) {
    Answer answer{};
    if (command.op == Op::read)
      read(answer.seen);
    else
      answer.result = result_of(command);
    return answer;
  }

 private:
  template <class... Arguments>
  nvmlReturn_t call(const char* name, Arguments... arguments) const {
    return reinterpret_cast<nvmlReturn_t (*)(Arguments...)>(dlsym(library_, name))(arguments...);
  }

  // A lost GPU gives no handle; one that was given before stays.
  nvmlReturn_t find(std::uint32_t gpu) {
    if (devices_[gpu] != nullptr) return NVML_SUCCESS;
    return call("nvmlDeviceGetHandleByIndex_v2", static_cast<unsigned int>(gpu), &devices_[gpu]);
  }

  std::int64_t result_of(const Command& command) {
    const bool by_handle = command.op <= Op::reset;
    if (const auto result = find(command.gpu); by_handle && result != NVML_SUCCESS) return result;
    const auto device = devices_[command.gpu];
    const auto number = static_cast<unsigned int>(command.a);
    switch (command.op) {
      case Op::set_power_limit:
        return call("nvmlDeviceSetPowerManagementLimit", device, number);
      case Op::set_persistence:
        return call("nvmlDeviceSetPersistenceMode", device, static_cast<nvmlEnableState_t>(number));
      case Op::set_compute_mode:
        return call("nvmlDeviceSetComputeMode", device, static_cast<nvmlComputeMode_t>(number));
      case Op::set_ecc:
        return call("nvmlDeviceSetEccMode", device, static_cast<nvmlEnableState_t>(number));
      case Op::clear_ecc_counts:
        return call("nvmlDeviceClearEccErrorCounts", device, NVML_VOLATILE_ECC);
      case Op::reset:
        return reset(device);
      case Op::load:
        return change(command.gpu, [&](sim::model::Gpu& gpu) {
          if (number == 0) return sim::telemetry::unload(gpu);
          sim::model::Workload workload{};
          workload.gpu = number;
          workload.memory = number / 2;
          sim::telemetry::load(gpu, workload, sim::now_ns(*machine_), 0);
        });
      case Op::add_ecc:
        return change(command.gpu, [&](sim::model::Gpu& gpu) {
          sim::faults::add_ecc_errors(gpu, sim::faults::EccPlace::dram, true, command.a);
        });
      case Op::lose:
        return change(command.gpu, [](sim::model::Gpu& gpu) {
          sim::faults::set_availability(gpu, sim::faults::Availability::lost);
        });
      case Op::heal:
        return change(command.gpu, [](sim::model::Gpu& gpu) {
          sim::faults::set_availability(gpu, sim::faults::Availability::available);
        });
      case Op::attach: {
        sim::processes::Request request;
        request.pid = number;
        request.memory_bytes = command.b;
        return static_cast<std::int64_t>(sim::processes::attach(*machine_, command.gpu, request));
      }
      case Op::advance: {
        const sim::state::Lock lock(*machine_);
        if (!lock) return kRefusedByMachine;
        const auto& clock = machine_->host().clock;
        const auto by_ns = static_cast<std::int64_t>(command.a) * 1'000'000;
        return lock.replace(clock, clock.advanced(sim::real_time_ns(), by_ns)) ? 0 : kRefusedByMachine;
      }
      case Op::read:
      case Op::quit:
        break;
    }
    return kRefusedByMachine;
  }

  template <class Change>
  std::int64_t change(std::uint32_t gpu, Change change) const {
    const sim::state::Lock lock(*machine_);
    if (!lock) return kRefusedByMachine;
    sim::transaction::Edit edit(lock, gpu);
    change(*edit);
    edit.commit();
    return 0;
  }

  // As nvidia-smi -r does it, by a private function.
  std::int64_t reset(nvmlDevice_t device) const {
    const unsigned char id[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                  0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
    const void* table = nullptr;
    if (call("nvmlInternalGetExportTable", &table, static_cast<const void*>(id)) != NVML_SUCCESS)
      return kRefusedByMachine;
    using Reset = nvmlReturn_t(unsigned int, const nvmlDevice_t*, nvmlReturn_t*, unsigned int*);
    nvmlReturn_t result = NVML_ERROR_UNKNOWN;
    unsigned int all = 0;
    reinterpret_cast<Reset*>(static_cast<void* const*>(table)[168])(1, &device, &result, &all);
    return result;
  }

  void read(Snapshot& seen) {
    seen.count = static_cast<std::uint32_t>(devices_.size());
    for (std::uint32_t i = 0; i < seen.count && i < kMostGpus; ++i) {
      seen.gpus[i].availability = find(i);
      if (seen.gpus[i].availability == NVML_SUCCESS) read(devices_[i], seen.gpus[i]);
    }
  }

  void read(nvmlDevice_t device, GpuSnapshot& seen) const {
    seen.availability = call("nvmlDeviceGetPowerManagementLimit", device, &seen.power_limit_mw);
    if (seen.availability != NVML_SUCCESS) return;
    call("nvmlDeviceGetPersistenceMode", device, &seen.persistence);
    call("nvmlDeviceGetComputeMode", device, &seen.compute_mode);
    call("nvmlDeviceGetEccMode", device, &seen.ecc_current, &seen.ecc_pending);
    call("nvmlDeviceGetPowerUsage", device, &seen.power_mw);
    call("nvmlDeviceGetTemperature", device, NVML_TEMPERATURE_GPU, &seen.temperature_c);
    call("nvmlDeviceGetClockInfo", device, NVML_CLOCK_SM, &seen.clock_mhz);
    nvmlUtilization_t utilization{};
    call("nvmlDeviceGetUtilizationRates", device, &utilization);
    seen.utilization = utilization.gpu;
    nvmlMemory_v2_t memory{};
    memory.version = sizeof(nvmlMemory_v2_t) | (2U << 24);
    call("nvmlDeviceGetMemoryInfo_v2", device, &memory);
    seen.memory_total = memory.total;
    seen.memory_used = memory.used;
    seen.memory_free = memory.free;
    seen.memory_reserved = memory.reserved;
    const auto errors = [&](nvmlEccCounterType_t period) {
      unsigned long long count = 0;
      call("nvmlDeviceGetTotalEccErrors", device, NVML_MEMORY_ERROR_TYPE_CORRECTED, period, &count);
      return count;
    };
    seen.corrected_volatile = errors(NVML_VOLATILE_ECC);
    seen.corrected_aggregate = errors(NVML_AGGREGATE_ECC);
    unsigned long long energy = 0;
    call("nvmlDeviceGetTotalEnergyConsumption", device, &energy);
    seen.energy_mj = energy;
    nvmlProcessInfo_v2_t clients[kMostClients];
    unsigned int count = kMostClients;
    if (call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, clients) != NVML_SUCCESS) count = 0;
    seen.client_count = count;
    for (unsigned int i = 0; i < count; ++i) {
      seen.pids[i] = clients[i].pid;
      seen.client_bytes[i] = clients[i].usedGpuMemory;
    }
  }

  void* library_;
  std::unique_ptr<sim::Machine> machine_;
  std::vector<nvmlDevice_t> devices_;
};

template <class T>
bool receive(int from, T& out) {
  auto* at = reinterpret_cast<char*>(&out);
  for (std::size_t got = 0; got < sizeof(T);) {
    const auto size = ::read(from, at + got, sizeof(T) - got);
    if (size <= 0) return false;
    got += static_cast<std::size_t>(size);
  }
  return true;
}

template <class T>
bool send(int to, const T& what) {
  return ::write(to, &what, sizeof(T)) == static_cast<ssize_t>(sizeof(T));
}

[[noreturn]] void live(const std::string& state, int from, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it when the test dies
  Body body(state);
  Command command{};
  while (receive(from, command) && command.op != Op::quit)
    if (!send(to, body.carry_out(command))) break;
  _exit(0);
}

}  // namespace

Worker::Worker(const std::string& state) {
  int commands[2], answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) std::abort();
  process_ = fork();
  if (process_ == 0) live(state, commands[0], answers[1]);
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
}

Worker::Worker(Worker&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(to_, other.to_);
  std::swap(from_, other.from_);
  return *this;
}

Worker::~Worker() {
  if (process_ < 0) return;
  close(to_);
  close(from_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

Answer Worker::tell(const Command& command) const {
  Answer answer{};
  if (!send(to_, command) || !receive(from_, answer)) answer.result = kGone;
  return answer;
}

}  // namespace nvmlkit::machine_test
