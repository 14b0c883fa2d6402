// Finding and loading the NVML library of the machine, without linking to it.
#pragma once

#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

struct LoadOptions {
  std::string path;       // only this file is tried; empty: the places below
  bool keep_open = true;  // never unload: NVML's own threads and exit handlers may outlive every user of it
};

struct LoadedLibrary {
  Table table;
  std::string path;        // the name that was loaded
  void* handle = nullptr;  // of the dynamic linker
};

// The names that load() tries, in order: options.path; else $NVMLKIT_NVML_LIBRARY; else on Linux libnvidia-ml.so.1,
// WSL's /usr/lib/wsl/lib/libnvidia-ml.so.1 and libnvidia-ml.so, on Windows nvml.dll of System32 and that of the NVSMI
// folder.
std::vector<std::string> library_candidates(const LoadOptions& options = {});

// Errc::library_not_found lists every path that was tried with the linker's reason.
Result<LoadedLibrary> load(const LoadOptions& options = {});

// Ends what load() began. Nothing of the table may be called afterwards.
void unload(LoadedLibrary& library) noexcept;

}  // namespace nvmlkit::nvml
