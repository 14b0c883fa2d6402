// For a library that is built for another system, where pack_machines cannot run.
#include "sim/config/packed.hpp"

namespace nvmlkit::sim::config {

std::span<const PackedMachine> list_packed_machines() { return {}; }

}  // namespace nvmlkit::sim::config
