/* A program that uses GPU 0 and does what its input says, a line each; it answers with the driver's number of an error.
   `sync`; `load` runs a kernel; `stray` runs one that writes where no memory is; `spin` runs one that never ends; `new`
   makes another context. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char kKernels[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry work(.param .u64 p) {\n"
    "  .reg .b64 %a; .reg .b32 %v;\n"
    "  ld.param.u64 %a, [p]; mov.b32 %v, 1; st.global.b32 [%a], %v; ret;\n}\n"
    ".visible .entry spin(.param .u64 p) {\n"
    "  .reg .b64 %a; .reg .b32 %v; .reg .pred %q;\n"
    "  ld.param.u64 %a, [p]; AGAIN: ld.volatile.global.b32 %v, [%a]; setp.ne.u32 %q, %v, 77; @%q bra AGAIN; ret;\n}\n";

static void* driver;
#define CALL(name, types, ...) (((int(*) types)dlsym(driver, #name))(__VA_ARGS__))

int main(void) {
  void *context = NULL, *module = NULL, *kernel = NULL, *spin = NULL;
  unsigned long long memory = 0;
  char line[64];
  int result;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return 1;
  result = CALL(cuInit, (unsigned), 0);
  if (result == 0) result = CALL(cuCtxCreate_v2, (void**, unsigned, int), &context, 0, 0);
  if (result == 0) result = CALL(cuMemAlloc_v2, (unsigned long long*, size_t), &memory, (size_t)1 << 30);
  if (result == 0) result = CALL(cuModuleLoadData, (void**, const void*), &module, kKernels);
  if (result == 0) result = CALL(cuModuleGetFunction, (void**, void*, const char*), &kernel, module, "work");
  if (result == 0) result = CALL(cuModuleGetFunction, (void**, void*, const char*), &spin, module, "spin");
  printf("%d\n", result);
  fflush(stdout);
  while (result == 0 && fgets(line, sizeof line, stdin)) {
    unsigned long long where = strncmp(line, "stray", 5) == 0 ? 64 : memory;
    void* arguments[1];
    int answer = 0;
    arguments[0] = &where;
    if (strncmp(line, "new", 3) == 0)
      answer = CALL(cuCtxCreate_v2, (void**, unsigned, int), &context, 0, 0);
    else if (strncmp(line, "sync", 4) != 0)
      answer =
          CALL(cuLaunchKernel,
               (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**),
               strncmp(line, "spin", 4) == 0 ? spin : kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    if (answer == 0) answer = CALL(cuCtxSynchronize, (void));
    printf("%d\n", answer);
    fflush(stdout);
  }
  return 0;
}
