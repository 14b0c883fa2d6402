// Faults of a GPU with their consequences. Every function works on the copy of an edit: counters, reported values and
// events change together at the commit.
#pragma once

#include <cstdint>

#include "sim/generated/model.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::faults {

// Where ECC finds an error. From Turing on GPUs tell DRAM from SRAM; before, each memory counts for itself.
enum class EccPlace { dram, sram, l1_cache, l2_cache, register_file, texture_memory, shared_memory, cbu };

// Raises the Xid and nothing else. `link`: the NVLink that it is about.
void report_xid(model::Gpu& gpu, std::uint32_t number, std::uint32_t link = 0);

// Raises the Xid, with its consequences in registry/semantics/values/xids.yaml.
void raise_xid(model::Gpu& gpu, std::uint32_t number);

// Counts errors in both periods and raises the events. Uncorrected ones are repaired as the architecture repairs: a
// page is retired before Ampere, a row remapped from then on; or that fails, when there is no room left.
// A problem: the GPU has no ECC, or it is off.
Expected<void> add_ecc_errors(model::Gpu& gpu, EccPlace place, bool corrected, std::uint64_t count);

// Puts NVLinks down, or makes them err: a bit for each link. It comes with an Xid.
void break_nvlinks(model::Gpu& gpu, std::uint64_t which, bool down);

// `xid`: the Xid that was raised for this change, or 0.
void set_availability(model::Gpu& gpu, Availability availability, std::uint32_t xid = 0);

// What the driver advises to do about a fault. The more serious of two advices stands; `reset` keeps new clients out.
void advise(model::Gpu& gpu, std::uint32_t recovery_action);
void forget_advice(model::Gpu& gpu);

// Banks that wait to be remapped are, as after a reset.
void settle_banks(model::Gpu& gpu);
void mark_repair_pending(model::Gpu& gpu);
void mark_repair_failed(model::Gpu& gpu);

enum class Slowdown { sw_thermal, hw_thermal, hw_power_brake };
void set_slowdown(model::Gpu& gpu, Slowdown slowdown, bool active);

// What errors leave behind until the GPU is reset.
void forget_at_reset(model::Gpu& gpu);

}  // namespace nvmlkit::sim::faults
