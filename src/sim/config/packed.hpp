// Built-in machines as build() makes them, packed by pack_machines.cpp when the library is built. Loading one reads no
// YAML. A library without packed machines reads the YAML.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::config {

struct PackedMachine {
  std::string_view name;
  std::uint32_t gpus;
  std::string_view bytes;  // of pack()
};

// Generated.
std::span<const PackedMachine> list_packed_machines();

// Null if no packed machine has the name.
const PackedMachine* find_packed_machine(std::string_view name);

// The bytes of a machine of build() that are not 0. They fit only the layout of the program that packs them.
std::string pack(const Machine& machine);

// Writes only to pages that have contents. Throws std::bad_alloc.
std::unique_ptr<Machine> unpack(const PackedMachine& packed);

}  // namespace nvmlkit::sim::config
