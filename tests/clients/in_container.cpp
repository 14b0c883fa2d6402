// in_container: what a program in a container has of the driver, by the names that programs load. Prints a line for
// each answer, and exits 0 whatever they are.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned int gpu_instance, compute_instance;
};

template <class... Arguments>
int call(void* library, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function ? function(arguments...) : -1;
}

void* open(const char* name) {
  void* const library = dlopen(name, RTLD_NOW);
  if (!library) std::exit((std::printf("%s\n", dlerror()), 1));
  return library;
}

// XID events, for a millisecond: the mapping of a state that may only be read can be waited on.
int wait_for_events(void* nvml, void* device) {
  void* set = nullptr;
  EventData data{};
  if (const int result = call(nvml, "nvmlEventSetCreate", &set)) return result;
  if (const int result = call(nvml, "nvmlDeviceRegisterEvents", device, 8ULL, set)) return result;
  const int result = call(nvml, "nvmlEventSetWait_v2", set, &data, 1U);
  call(nvml, "nvmlEventSetFree", set);
  return result;
}

void ask_nvml() {
  void* const nvml = open("libnvidia-ml.so.1");
  const int result = call(nvml, "nvmlInit_v2");
  unsigned int count = 0;
  if (result == 0) call(nvml, "nvmlDeviceGetCount_v2", &count);
  std::printf("nvml %d %u\n", result, count);
  for (unsigned int i = 0; i < count; ++i) {
    void* device = nullptr;
    char uuid[96] = "";
    call(nvml, "nvmlDeviceGetHandleByIndex_v2", i, &device);
    call(nvml, "nvmlDeviceGetUUID", device, uuid, 96U);
    std::printf("gpu %s\n", uuid);
    if (i > 0) continue;
    std::printf("limit %d\n", call(nvml, "nvmlDeviceSetPowerManagementLimit", device, 300000U));
    std::printf("events %d\n", wait_for_events(nvml, device));
  }
  if (result == 0) std::printf("shutdown %d\n", call(nvml, "nvmlShutdown"));
}

void ask_cuda() {
  void* const cuda = open("libcuda.so.1");
  const int result = call(cuda, "cuInit", 0U);
  int count = 0;
  if (result == 0) call(cuda, "cuDeviceGetCount", &count);
  std::printf("cuda %d %d\n", result, count);
  if (count == 0) return;
  void* context = nullptr;
  void* memory = nullptr;
  std::printf("context %d\n", call(cuda, "cuDevicePrimaryCtxRetain", &context, 0));
  call(cuda, "cuCtxSetCurrent", context);
  std::printf("memory %d\n", call(cuda, "cuMemAlloc_v2", &memory, std::size_t{1} << 20));
}

}  // namespace

int main() {
  ask_nvml();
  ask_cuda();
  return 0;
}
