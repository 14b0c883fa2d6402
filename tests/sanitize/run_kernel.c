/* Runs one kernel of a PTX file: run_kernel FILE KERNEL BLOCKS THREADS SHARED [ARGUMENT...]

   An argument is i:NUMBER, or memory of so many bytes: zero:N, raw:N (nobody writes it), half:N (the first half is
   written), freed:N, pool:N, pinned:N, leak:N, copy:N (a copy of memory that nobody wrote), managed:N (nobody writes
   it), host:N (managed, and the host writes it). A word `twice` in front of FILE frees memory twice, `bad-call` makes a
   wrong call, `refused` makes calls that are refused before they begin: without a pointer, and behind the failure of
   the kernel. `show` prints the first word of each memory behind the launch. With `reads` and `writes`, the host
   accesses the last word of the first memory, which is managed, behind a wait for the kernel; `-early` in front of it.
   With `event`, it waits for an event behind the kernel, or in front of it. With `flag`, it first reads the second
   memory. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address_t;

static void* driver;

static void* function(const char* name) {
  void* address = dlsym(driver, name);
  if (!address) exit(printf("no %s\n", name));
  return address;
}

#define CALL(name, types, ...) (((int(*) types)function(#name))(__VA_ARGS__))
#define NEED(name, types, ...)                                \
  do {                                                        \
    const int result = CALL(name, types, __VA_ARGS__);        \
    if (result != 0) exit(printf("%s: %d\n", #name, result)); \
  } while (0)

static address_t memory(const char* kind, size_t size) {
  address_t out = 0, other = 0;
  void* host = NULL;
  if (strcmp(kind, "pinned") == 0) {
    NEED(cuMemAllocHost_v2, (void**, size_t), &host, size);
    return (address_t)host;
  }
  if (strcmp(kind, "managed") == 0 || strcmp(kind, "host") == 0) {
    NEED(cuMemAllocManaged, (address_t*, size_t, unsigned), &out, size, 1);
    if (strcmp(kind, "host") == 0) memset((void*)out, 0, size);
    return out;
  }
  if (strcmp(kind, "pool") == 0) {
    NEED(cuMemAllocAsync, (address_t*, size_t, void*), &out, size, NULL);
  } else {
    NEED(cuMemAlloc_v2, (address_t*, size_t), &out, size);
  }
  if (strcmp(kind, "copy") == 0) {
    NEED(cuMemAlloc_v2, (address_t*, size_t), &other, size);
    NEED(cuMemcpyDtoD_v2, (address_t, address_t, size_t), out, other, size);
    NEED(cuMemFree_v2, (address_t), other);
  } else if (strcmp(kind, "raw") != 0) {
    NEED(cuMemsetD8_v2, (address_t, unsigned char, size_t), out, 0, strcmp(kind, "half") == 0 ? size / 2 : size);
  }
  if (strcmp(kind, "freed") == 0) NEED(cuMemFree_v2, (address_t), out);
  return out;
}

static void release(const char* kind, address_t address) {
  if (strcmp(kind, "pinned") == 0)
    CALL(cuMemFreeHost, (void*), (void*)address);
  else if (strcmp(kind, "pool") == 0)
    CALL(cuMemFreeAsync, (address_t, void*), address, NULL);
  else if (strcmp(kind, "freed") != 0 && strcmp(kind, "leak") != 0)
    CALL(cuMemFree_v2, (address_t), address);
}

/* What the host does itself while the kernel runs, or behind it. */
static void access_as(const char* word, const address_t* values, address_t size, void* event, int is_early) {
  volatile unsigned* const last = (unsigned*)(values[0] + size) - 1;
  if (strcmp(word, "flag") == 0 && is_early)
    while (*(volatile unsigned*)values[1] == 0) {
    }
  if (strncmp(word, "event", 5) == 0 && is_early) NEED(cuEventSynchronize, (void*), event);
  if ((strstr(word, "-early") || strcmp(word, "flag") == 0 || strncmp(word, "event", 5) == 0) != is_early) return;
  if (strncmp(word, "writes", 6) == 0)
    *last = 7;
  else
    printf("the host reads %u\n", *last);
}

static int is_of_host(const char* word) {
  return strncmp(word, "reads", 5) == 0 || strncmp(word, "writes", 6) == 0 || strncmp(word, "event", 5) == 0 ||
         strcmp(word, "flag") == 0;
}

static char* text_of(const char* path) {
  FILE* file = fopen(path, "r");
  char* out = calloc(1, 1 << 20);
  if (!file || !out || fread(out, 1, (1 << 20) - 1, file) == 0) exit(printf("cannot read %s\n", path));
  fclose(file);
  return out;
}

int main(int argc, char** argv) {
  void *context = NULL, *module = NULL, *kernel = NULL, *event = NULL, *pointers[16];
  address_t values[16], size = 0;
  char kinds[16][16];
  int count = 0, i;
  const int twice = argc > 1 && strcmp(argv[1], "twice") == 0;
  const int bad_call = argc > 1 && strcmp(argv[1], "bad-call") == 0;
  const int refused = argc > 1 && strcmp(argv[1], "refused") == 0;
  const int show = argc > 1 && strcmp(argv[1], "show") == 0;
  const char* const host = argc > 1 && is_of_host(argv[1]) ? argv[1] : NULL;
  if (twice || bad_call || refused || show || host) ++argv, --argc;
  if (argc < 6 || argc > 22) return printf("usage: run_kernel FILE KERNEL BLOCKS THREADS SHARED [ARGUMENT...]\n");
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return printf("%s\n", dlerror());
  NEED(cuInit, (unsigned), 0);
  NEED(cuDevicePrimaryCtxRetain, (void**, int), &context, 0);
  NEED(cuCtxSetCurrent, (void*), context);
  NEED(cuModuleLoadData, (void**, const void*), &module, text_of(argv[1]));
  NEED(cuModuleGetFunction, (void**, void*, const char*), &kernel, module, argv[2]);
  for (i = 6; i < argc; ++i, ++count) {
    const char* number = strchr(argv[i], ':');
    if (!number || number - argv[i] > 15) return printf("what is %s?\n", argv[i]);
    memset(kinds[count], 0, sizeof kinds[count]);
    memcpy(kinds[count], argv[i], (size_t)(number - argv[i]));
    values[count] = strtoull(number + 1, NULL, 0);
    if (count == 0) size = values[0];
    if (strcmp(kinds[count], "i") != 0) values[count] = memory(kinds[count], values[count]);
    pointers[count] = &values[count];
  }
  if (host) NEED(cuEventCreate, (void**, unsigned), &event, 0);
  if (host && strcmp(host, "event-early") == 0) NEED(cuEventRecord, (void*, void*), event, NULL);
  CALL(cuLaunchKernel,
       (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**), kernel,
       (unsigned)atoi(argv[3]), 1u, 1u, (unsigned)atoi(argv[4]), 1u, 1u, (unsigned)atoi(argv[5]), NULL, pointers,
       (void**)NULL);
  if (host && strcmp(host, "event") == 0) NEED(cuEventRecord, (void*, void*), event, NULL);
  if (host) access_as(host, values, size, event, 1);
  printf("result %d\n", CALL(cuCtxSynchronize, (void)));
  if (refused) printf("%d", CALL(cuDeviceGetCount, (int*), NULL)), printf(" %d\n", CALL(cuCtxSynchronize, (void)));
  if (host) access_as(host, values, size, event, 0);
  for (i = 0; show && i < count; ++i) {
    unsigned word = 0;
    if (strcmp(kinds[i], "i") == 0) continue;
    NEED(cuMemcpyDtoH_v2, (void*, address_t, size_t), &word, values[i], sizeof word);
    printf("memory %d begins with %u\n", i, word);
  }
  if (bad_call) CALL(cuMemcpyDtoD_v2, (address_t, address_t, size_t), values[0], 12345, 16);
  for (i = 0; i < count; ++i)
    if (strcmp(kinds[i], "i") != 0) release(kinds[i], values[i]);
  if (twice) release("zero", values[0]);
  CALL(cuCtxSynchronize, (void));
  return 0;
}
