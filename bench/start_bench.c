// What a start of the driver library costs a process: time, resident memory, size. Each start is one of a fresh
// process. The program is C and needs only the C library, so that the library under measurement brings all that it
// needs.
//
//   NVMLKIT_MACHINE=h100 nvmlkit_start_bench [LIBRARY]
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kStarts = 41 };

// Microseconds, then kB of added resident memory.
enum { kDlopen, kFirstInit, kBoth, kSecondInit, kLibrary, kOtherFiles, kAnonymous, kResident, kFigures };

static const char* const kNames[kFigures] = {
    "dlopen",
    "first nvmlInit",
    "both",
    "second nvmlInit, after nvmlShutdown",
    "the library",
    "other libraries, with the C library",
    "memory without a file",
    "all",
};

typedef int (*Function)(void);

static void die(const char* what) {
  fprintf(stderr, "nvmlkit_start_bench: %s\n", what);
  exit(1);
}

static long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Adds what is resident to the three kinds of memory. VmRSS is not exact: the kernel counts it in batches.
static void add_resident(const char* library, long sign, long* figures) {
  static char line[4096];
  FILE* maps = fopen("/proc/self/smaps", "r");
  if (maps == NULL) die("/proc/self/smaps cannot be read");
  int kind = kAnonymous;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    long kilobytes;
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2) {
      line[strcspn(line, "\n")] = '\0';
      const char* path = strchr(line, '/');
      kind = path == NULL ? kAnonymous : strcmp(path, library) == 0 ? kLibrary : kOtherFiles;
    } else if (sscanf(line, "Rss: %ld", &kilobytes) == 1) {
      figures[kind] += sign * kilobytes;
      figures[kResident] += sign * kilobytes;
    }
  }
  fclose(maps);
}

static void start_once(const char* library, long* figures) {
  add_resident(library, 1, figures);  // the reader's own memory is there the second time
  memset(figures, 0, kFigures * sizeof *figures);
  add_resident(library, -1, figures);
  const long begin = microseconds();
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) die(dlerror());
  const long opened = microseconds();
  Function init, shutdown;
  *(void**)&init = dlsym(handle, "nvmlInit_v2");
  *(void**)&shutdown = dlsym(handle, "nvmlShutdown");
  if (init == NULL || shutdown == NULL) die("the library is no NVML");
  const long found = microseconds();
  if (init() != 0) die("nvmlInit_v2 fails");
  const long initialized = microseconds();
  add_resident(library, 1, figures);
  shutdown();
  const long again = microseconds();
  if (init() != 0) die("the second nvmlInit_v2 fails");
  figures[kSecondInit] = microseconds() - again;
  figures[kDlopen] = opened - begin;
  figures[kFirstInit] = initialized - found;
  figures[kBoth] = figures[kDlopen] + figures[kFirstInit];
}

// The figures of a fresh process, which executes this program again.
static void start_in_child(const char* program, const char* library, long* figures) {
  int ends[2];
  if (pipe(ends) != 0) die("no pipe");
  const pid_t child = fork();
  if (child < 0) die("no process");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(program, program, "--once", library, (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  const size_t size = kFigures * sizeof *figures;
  const ssize_t got = read(ends[0], figures, size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (got != (ssize_t)size || status != 0) die("a start fails");
}

static int compare(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

static void print(long (*starts)[kFigures]) {
  for (int figure = 0; figure < kFigures; ++figure) {
    long sorted[kStarts];
    for (int i = 0; i < kStarts; ++i) sorted[i] = starts[i][figure];
    qsort(sorted, kStarts, sizeof *sorted, compare);
    const long least = sorted[0], median = sorted[kStarts / 2];
    if (figure == kDlopen) printf("Time:\n");
    if (figure == kLibrary) printf("Resident memory that dlopen and the first nvmlInit add:\n");
    if (figure < kLibrary)
      printf("  %-38s least %.3f ms, median %.3f ms\n", kNames[figure], (double)least / 1e3, (double)median / 1e3);
    else
      printf("  %-38s least %ld kB, median %ld kB\n", kNames[figure], least, median);
  }
}

int main(int argc, char** argv) {
  static long starts[kStarts][kFigures];
  if (argc == 3 && strcmp(argv[1], "--once") == 0) {
    start_once(argv[2], starts[0]);
    return write(STDOUT_FILENO, starts[0], sizeof starts[0]) == sizeof starts[0] ? 0 : 1;
  }
  // The path as the kernel shows it.
  char* library = realpath(argc > 1 ? argv[1] : NVMLKIT_DRIVER_LIBRARY, NULL);
  struct stat file;
  if (library == NULL || stat(library, &file) != 0) die("no such library");
  printf("%s: %lld bytes. Starts in %d processes:\n", library, (long long)file.st_size, kStarts);
  for (int i = 0; i < kStarts; ++i) start_in_child("/proc/self/exe", library, starts[i]);
  print(starts);
  free(library);
  return 0;
}
