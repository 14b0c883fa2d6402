// Random lives of MIG instances in several processes that share a machine, some of them killed in the middle: whatever
// they do, instances do not overlap, memory and engines add up, and every error is one that NVML documents.
//
//   mig_lifecycles LIBRARY [ROUNDS [SEED]]
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "nvmlkit/generated/abi.hpp"
#include "sim/config/load.hpp"
#include "sim/mig/instances.hpp"
#include "sim/mig/placement.hpp"
#include "sim/state/file.hpp"
#include "sim/state/read.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::abi;
using sim::model::Gpu;

constexpr unsigned int kGpus = 2, kProcesses = 4, kSteps = 4000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

void require(bool holds, const std::string& what) {
  if (!holds) fail(what);
}

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) fail(dlerror());
  }
  template <class... Args>
  nvmlReturn_t call(const char* name, Args... args) const {
    void* const address = dlsym(handle_, name);
    if (!address) fail(std::string("no ") + name);
    return reinterpret_cast<nvmlReturn_t (*)(Args...)>(address)(args...);
  }

 private:
  void* handle_;
};

void allow(const char* what, nvmlReturn_t result, std::initializer_list<nvmlReturn_t> documented) {
  require(result == NVML_SUCCESS || std::find(documented.begin(), documented.end(), result) != documented.end(),
          std::string(what) + " answered " + std::to_string(result));
}

// One process's random life: what it finds it may destroy, what it makes others may destroy.
class Life {
 public:
  Life(const Library& library, unsigned int seed) : library_(library), random_(seed) {}

  void step() {
    pick_device();
    switch (any(8)) {
      case 0:
      case 1:
        create_instance();
        break;
      case 2:
        create_placed();
        break;
      case 3:
        destroy_instance();
        break;
      case 4:
      case 5:
        create_compute();
        break;
      case 6:
        destroy_compute();
        break;
      default:
        look();
    }
  }

 private:
  unsigned int any(unsigned int below) { return std::uniform_int_distribution<unsigned int>(0, below - 1)(random_); }

  void pick_device() { require(library_.call("nvmlDeviceGetHandleByIndex_v2", any(kGpus), &device_) == 0, "no GPU"); }

  unsigned int profile() {
    constexpr unsigned int kIds[] = {19, 19, 19, 20, 15, 14, 14, 9, 5, 0, 77},
                           kNewer[] = {21, 47, 65, 67, 35, 64, 66, 32};
    return any(4) == 0 ? kNewer[any(std::size(kNewer))] : kIds[any(std::size(kIds))];
  }

  void create_instance() {
    nvmlGpuInstance_t made = nullptr;
    allow("create", library_.call("nvmlDeviceCreateGpuInstance", device_, profile(), &made),
          {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT});
  }

  void create_placed() {
    nvmlGpuInstance_t made = nullptr;
    constexpr unsigned int kSizes[] = {1, 2, 3, 4, 6, 8, 12};
    const nvmlGpuInstancePlacement_t at{any(10), kSizes[any(std::size(kSizes))]};
    allow("create with placement",
          library_.call("nvmlDeviceCreateGpuInstanceWithPlacement", device_, profile(), &at, &made),
          {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT});
  }

  nvmlGpuInstance_t find_instance() {
    nvmlGpuInstance_t found = nullptr;
    allow("by id", library_.call("nvmlDeviceGetGpuInstanceById", device_, any(16), &found), {NVML_ERROR_NOT_FOUND});
    return found;
  }

  void destroy_instance() {
    if (const auto found = find_instance())  // another process may have been faster
      allow("destroy", library_.call("nvmlGpuInstanceDestroy", found),
            {NVML_ERROR_IN_USE, NVML_ERROR_INVALID_ARGUMENT});
  }

  void create_compute() {
    nvmlComputeInstance_t made = nullptr;
    if (const auto found = find_instance())
      allow("create compute", library_.call("nvmlGpuInstanceCreateComputeInstance", found, any(9), &made),
            {NVML_ERROR_INSUFFICIENT_RESOURCES, NVML_ERROR_INVALID_ARGUMENT, NVML_ERROR_NOT_SUPPORTED});
  }

  void destroy_compute() {
    const auto in = find_instance();
    nvmlComputeInstance_t found = nullptr;
    if (!in) return;
    allow("compute by id", library_.call("nvmlGpuInstanceGetComputeInstanceById", in, any(4), &found),
          {NVML_ERROR_NOT_FOUND, NVML_ERROR_INVALID_ARGUMENT});
    if (found)
      allow("destroy compute", library_.call("nvmlComputeInstanceDestroy", found), {NVML_ERROR_INVALID_ARGUMENT});
  }

  void look() {
    nvmlDevice_t mig = nullptr;
    char name[96];
    unsigned int most = 0;
    require(library_.call("nvmlDeviceGetMaxMigDeviceCount", device_, &most) == NVML_SUCCESS && most > 0, "no maximum");
    allow("MIG device", library_.call("nvmlDeviceGetMigDeviceHandleByIndex", device_, any(most), &mig),
          {NVML_ERROR_NOT_FOUND});
    if (mig) allow("name", library_.call("nvmlDeviceGetName", mig, +name, 96U), {NVML_ERROR_INVALID_ARGUMENT});
  }

  const Library& library_;
  std::mt19937 random_;
  nvmlDevice_t device_ = nullptr;
};

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
      if (told == NVML_ERROR_NOT_SUPPORTED) continue;  // no profile of this GPU
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
    sim::ConfigError problem;
    const auto fresh = sim::read_machine("m.yaml",
                                         "base: " + base +
                                             "\nsystem: {enforce_privilege: false, num_devices: 2}\n"
                                             "device_defaults: {mig: {mode_current: enabled}}\n" +
                                             (base == "b200" ? other : std::string()),
                                         problem);
    require(fresh != nullptr, problem.text());
    const char* folder = std::getenv("TMPDIR");
    const std::string state = std::string(folder ? folder : "/tmp") + "/mig_lifecycles_" + std::to_string(getpid());
    std::string error;
    require(sim::state::save(*fresh, state, base, error), error);
    const auto machine = sim::state::attach(state, error);
    require(machine != nullptr, error);
    for (unsigned long round = 0; round < rounds; ++round) {
      std::vector<pid_t> children;
      for (unsigned int i = 0; i < kProcesses; ++i)
        children.push_back(start(arguments[1], state, static_cast<unsigned int>(random())));
      usleep(static_cast<useconds_t>(random() % 20'000));
      check(*machine);
      const auto victim = children[random() % children.size()];
      kill(victim, SIGKILL);
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
  require(killed > 0, "nothing was killed: the lives are too short");
  return 0;
}
