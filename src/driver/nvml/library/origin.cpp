#include "driver/nvml/library/origin.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <string_view>

#include "storage/hash.hpp"

namespace nvmlkit::driver {
namespace {

// What the value of a variable may name.
enum class Names { nothing, machine_file, state_file };

struct Variable {
  const char* name;
  Names names;
};

// Of load_machine() and of apply_process_faults().
constexpr Variable kVariables[] = {
    {"NVMLKIT_STATE", Names::state_file},
    {"NVMLKIT_MACHINE", Names::machine_file},
    {"NVMLKIT_GPU_COUNT", Names::nothing},
    {"NVMLKIT_DRIVER", Names::nothing},
    {"NVMLKIT_TIME", Names::nothing},
    {"NVMLKIT_FAULT", Names::nothing},
    {"MOCK_NVML_CONFIG", Names::machine_file},
    {"MOCK_NVML_NUM_DEVICES", Names::nothing},
    {"MOCK_NVML_DRIVER_VERSION", Names::nothing},
};

// A machine file is its contents. A state file is the file itself: its contents change with every setter, and a file
// that replaces it has another number as long as this process maps the first.
void add_file(storage::Hash& hash, const char* path, Names kind) {
  struct stat file {};
  if (stat(path, &file) != 0) return;
  hash.add(file.st_dev);
  hash.add(file.st_ino);
  if (kind == Names::state_file) return;
  hash.add(file.st_size);
  hash.add(file.st_mtim.tv_sec);
  hash.add(file.st_mtim.tv_nsec);
}

}  // namespace

std::uint64_t machine_origin() {
  storage::Hash hash;
  for (const auto& variable : kVariables) {
    const char* value = std::getenv(variable.name);
    hash.add(value != nullptr);
    if (value == nullptr) continue;
    hash.add(std::string_view(value));
    if (variable.names != Names::nothing) add_file(hash, value, variable.names);
  }
  return hash.value() | 1;
}

}  // namespace nvmlkit::driver
