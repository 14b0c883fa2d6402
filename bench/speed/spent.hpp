// What a program has spent: seconds of the processor, or instructions where an emulator counts them (instructions.c).
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

// The count of instructions in the file that NVMLKIT_SPEED_COUNT names, or null without that.
inline const volatile std::uint64_t* counted_instructions() {
  const char* const path = std::getenv("NVMLKIT_SPEED_COUNT");
  if (!path) return nullptr;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  void* const count = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(std::uint64_t), PROT_READ, MAP_SHARED, file, 0);
  if (count == MAP_FAILED) {
    std::perror(path);
    std::exit(1);
  }
  close(file);
  return static_cast<const volatile std::uint64_t*>(count);
}

// A billion instructions stand for a second.
inline double spent() {
  static const volatile std::uint64_t* const count = counted_instructions();
  return count ? 1e-9 * static_cast<double>(*count) : static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}
