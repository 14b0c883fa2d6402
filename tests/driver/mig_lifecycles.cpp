// Random lives of MIG instances in several processes that share a machine, some of them killed in the middle: whatever
// they do, instances do not overlap, memory and engines add up, and every error is one that NVML documents.
//
//   mig_lifecycles LIBRARY [ROUNDS [SEED]]
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../emulator.hpp"
#include "../taken.hpp"
#include "mig_life.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/config/load.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/state/file.hpp"
#include "sim/state/read.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::abi;
using namespace nvmlkit::mig_lifecycles;
using sim::model::Gpu;

constexpr unsigned int kProcesses = 4, kSteps = 4000;

pid_t start(const char* library_path, const std::string& state, unsigned int seed) {
  const auto child = fork();
  if (child != 0) return child;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  const Library library(library_path);
  require(library.call("nvmlInit_v2") == NVML_SUCCESS, "no init");
  Life life(library, seed);
  for (unsigned int i = 0; i < kSteps; ++i) life.step();
  std::_Exit(0);
}

// What must hold for every state that anybody can see.
void check(const Gpu& gpu) {
  namespace mig = sim::mig;
  std::uint32_t slices = 0, sm = 0, dec = 0, jpeg = 0, ofa = 0;
  std::uint64_t memory = 0;
  const auto* all = mig::profile_by_id(gpu, 0);
  for (const auto& a : gpu.mig.instances) {
    const auto* profile = mig::profile_of(gpu, a);
    require(profile && a.id && a.start, "an instance without profile or place");
    require(mig::possible(*profile, *a.start, *profile->size), "an impossible placement");
    require(mig::instance_id(gpu, *a.start, *profile->size) == *a.id, "an id that does not follow from the placement");
    for (std::uint32_t slice = *a.start; slice < *a.start + *profile->size; ++slice) {
      require((slices & (1U << slice)) == 0, "instances overlap");
      slices |= 1U << slice;
    }
    sm += *profile->sm, dec += *profile->dec, jpeg += *profile->jpeg, ofa += *profile->ofa;
    memory += *profile->memory_mib;
    std::uint32_t compute_slices = 0, compute_sm = 0, ids = 0;
    for (const auto& b : a.compute_instances) {
      const auto compute = mig::compute_profile_of(gpu, *profile, b);
      require(compute && b.id && b.start, "a compute instance without profile or place");
      require((ids & (1U << *b.id)) == 0, "compute instances of one id");
      ids |= 1U << *b.id;
      compute_sm += compute->sm;
      for (std::uint32_t slice = *b.start; slice < *b.start + compute->size; ++slice) {
        require((compute_slices & (1U << slice)) == 0, "compute instances overlap");
        compute_slices |= 1U << slice;
      }
    }
    require(compute_slices >> mig::compute_slices(*profile) == 0, "compute instances beyond their GPU instance");
    require(compute_sm <= *profile->sm, "more multiprocessors than the GPU instance has");
  }
  require(sm <= *all->sm && dec <= *all->dec && jpeg <= *all->jpeg && ofa <= *all->ofa,
          "more engines than the GPU has");
  require(memory <= *all->memory_mib, "more memory than the GPU has");
}

void check(const sim::Machine& machine) {
  const auto copy = std::make_unique<Gpu>();
  for (const auto& gpu : machine.gpus()) {
    require(sim::state::consistently(machine, machine.sequence(gpu), [&] { *copy = gpu; }), "no whole state");
    check(*copy);
  }
}

// With nobody else about, the capacity says exactly what can be made.
void check_capacity(const char* library_path, const std::string& state) {
  const auto child = fork();
  if (child != 0) {
    int status = 1;
    waitpid(child, &status, 0);
    require(status == 0, "capacities are wrong");
    return;
  }
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  const Library library(library_path);
  require(library.call("nvmlInit_v2") == NVML_SUCCESS, "no init");
  for (unsigned int i = 0; i < kGpus; ++i)
    for (const unsigned int profile : {19U, 20U, 15U, 14U, 9U, 5U, 0U, 21U, 47U, 65U, 67U, 35U, 64U, 66U, 32U}) {
      nvmlDevice_t device = nullptr;
      unsigned int capacity = 99;
      library.call("nvmlDeviceGetHandleByIndex_v2", i, &device);
      const auto told = library.call("nvmlDeviceGetGpuInstanceRemainingCapacity", device, profile, &capacity);
      if (told == NVML_ERROR_INVALID_ARGUMENT) continue;  // no profile of this GPU
      require(told == NVML_SUCCESS, "no capacity");
      std::vector<nvmlGpuInstance_t> made;
      for (nvmlGpuInstance_t one = nullptr;
           library.call("nvmlDeviceCreateGpuInstance", device, profile, &one) == NVML_SUCCESS;)
        made.push_back(one);
      for (const auto one : made) require(library.call("nvmlGpuInstanceDestroy", one) == NVML_SUCCESS, "no destroy");
      require(made.size() == capacity, "profile " + std::to_string(profile) + ": capacity " + std::to_string(capacity) +
                                           ", made " + std::to_string(made.size()));
    }
  std::_Exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) fail("mig_lifecycles LIBRARY [ROUNDS [SEED]]");
  const auto rounds = count > 2 ? std::stoul(arguments[2]) : 20;
  std::random_device device;
  const unsigned int seed = count > 3 ? static_cast<unsigned int>(std::stoul(arguments[3])) : device();
  std::printf("seed %u\n", seed);
  std::fflush(stdout);
  std::mt19937 random(seed);
  unsigned int killed = 0;
  // The second GPU is cut into twelve slices, has media engines to give away and profiles for graphics.
  const std::string other = "devices: [{index: 1, base: rtxpro6000}]\n";
  for (const std::string base : {"a100", "h100", "b200"}) {
    std::string problem;
    const auto fresh =
        sim::taken(sim::read_machine("m.yaml", "base: " + base +
                                                   "\nsystem: {enforce_privilege: false, num_devices: 2}\n"
                                                   "device_defaults: {mig: {mode_current: enabled}}\n" +
                                                   (base == "b200" ? other : std::string())),
                   problem);
    require(fresh != nullptr, problem);
    const char* folder = std::getenv("TMPDIR");
    const std::string state = std::string(folder ? folder : "/tmp") + "/mig_lifecycles_" + std::to_string(getpid());
    std::string error;
    require(sim::taken(sim::state::save(*fresh, state, base), error), error);
    const auto machine = sim::taken(sim::state::attach(state), error);
    require(machine != nullptr, error);
    for (unsigned long round = 0; round < rounds; ++round) {
      std::vector<pid_t> children;
      for (unsigned int i = 0; i < kProcesses; ++i)
        children.push_back(start(arguments[1], state, static_cast<unsigned int>(random())));
      usleep(static_cast<useconds_t>(random() % 20'000));
      check(*machine);
      // qemu-user has no robust locks: what a process holds that is killed, it holds for ever.
      const auto victim = under_qemu() ? pid_t{0} : children[random() % children.size()];
      if (victim != 0) kill(victim, SIGKILL);
      for (const auto child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && child == victim;
        killed += was_killed;
        require(was_killed || status == 0, "a process failed");
        check(*machine);
      }
      check_capacity(arguments[1], state);
    }
    unlink(state.c_str());
  }
  std::printf("%u processes were killed\n", killed);
  require(killed > 0 || under_qemu(), "nothing was killed: the lives are too short");
  return 0;
}
