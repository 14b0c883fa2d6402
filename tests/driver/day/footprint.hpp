// What this process holds of the system.
#pragma once

#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace nvmlkit::driver_test {

struct Footprint {
  std::size_t heap_bytes = 0, resident_kib = 0, open_files = 0, mappings = 0;

  static Footprint now() {
    Footprint out;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they keep what was freed
    // Exact; the counters of /proc/self/statm lag behind.
    std::ifstream rollup("/proc/self/smaps_rollup");
    for (std::string word; rollup >> word;)
      if (word == "Rss:" && rollup >> out.resident_kib) break;
#endif
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++out.open_files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++out.mappings;
#ifdef __GLIBC__
    out.heap_bytes = mallinfo2().uordblks;
#endif
    return out;
  }
};

}  // namespace nvmlkit::driver_test
