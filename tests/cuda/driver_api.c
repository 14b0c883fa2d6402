/* A program as others write them: the driver by name, no header of CUDA. Checks its own results. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* driver;

static void* function(const char* name) {
  void* address = dlsym(driver, name);
  if (!address) {
    printf("no %s\n", name);
    exit(1);
  }
  return address;
}

static void check(int result, const char* what) {
  const char* text = "?";
  if (result == 0) return;
  ((int (*)(int, const char**))function("cuGetErrorString"))(result, &text);
  printf("%s: %d (%s)\n", what, result, text);
  exit(1);
}

#define CALL(name, types, ...) check(((int(*) types)function(#name))(__VA_ARGS__), #name)

int main(void) {
  enum { kCount = 100000 };
  int version = 0, devices = 0, i;
  unsigned long long there = 0;
  size_t bytes = kCount * sizeof(int);
  int* numbers = malloc(bytes);
  int* back = malloc(bytes);

  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver || !numbers || !back) {
    printf("%s\n", driver ? "out of memory" : dlerror());
    return 1;
  }
  CALL(cuDriverGetVersion, (int*), &version);
  CALL(cuInit, (unsigned), 0);
  CALL(cuDeviceGetCount, (int*), &devices);
  for (i = 0; i < devices; ++i) {
    char name[100];
    size_t memory = 0;
    void* context = NULL;
    int at;
    CALL(cuDeviceGetName, (char*, int, int), name, sizeof name, i);
    CALL(cuDeviceTotalMem_v2, (size_t*, int), &memory, i);
    printf("%d: %s, %zu MiB\n", i, name, memory >> 20);
    CALL(cuDevicePrimaryCtxRetain, (void**, int), &context, i);
    CALL(cuCtxSetCurrent, (void*), context);
    CALL(cuMemAlloc_v2, (unsigned long long*, size_t), &there, bytes);
    for (at = 0; at < kCount; ++at) numbers[at] = at * i;
    CALL(cuMemcpyHtoD_v2, (unsigned long long, const void*, size_t), there, numbers, bytes);
    CALL(cuMemcpyDtoH_v2, (void*, unsigned long long, size_t), back, there, bytes);
    if (memcmp(numbers, back, bytes) != 0) {
      printf("%d: other numbers came back\n", i);
      return 1;
    }
    CALL(cuMemFree_v2, (unsigned long long), there);
    CALL(cuDevicePrimaryCtxRelease_v2, (int), i);
  }
  free(numbers);
  free(back);
  printf("CUDA %d.%d, %d GPUs, all is well\n", version / 1000, version % 1000 / 10, devices);
  return 0;
}
