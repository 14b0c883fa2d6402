// Loads the libraries that its arguments name and prints the files of those libraries that are in the process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static int print_name(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  if (strstr(info->dlpi_name, "/libcu") != NULL) puts(info->dlpi_name);
  return 0;
}

int main(int count, char** names) {
  for (int i = 1; i < count; ++i)
    if (dlopen(names[i], RTLD_NOW) == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  dl_iterate_phdr(print_name, NULL);
  return 0;
}
