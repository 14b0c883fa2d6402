// The private functions that nvidia-smi of 535, 550 and 555 calls, one per slot. Their meaning was found by answers
// that contain a mark, which nvidia-smi prints. docs/nvidia-smi.md lists the known slots with the evidence.
#pragma once

#include "nvmlkit/generated/abi.hpp"

namespace nvmlkit::driver::slots {

using namespace abi;

// 4128 bytes apart, as all three branches expect.
struct PrivateProcess {
  unsigned int pid;
  unsigned long long used_bytes;  // all ones = not available
  unsigned int gpu_instance;
  unsigned int compute_instance;
  unsigned long long protected_bytes;
  char name[4096];
};
static_assert(sizeof(PrivateProcess) == 4128);

struct AtomicCapabilities {
  unsigned int outbound;
  unsigned int inbound;
};

nvmlReturn_t parse_bus_id(const char* text, unsigned int* domain, unsigned int* bus, unsigned int* device,
                          unsigned int* function);
nvmlReturn_t pci_location(unsigned int index, unsigned int* domain, unsigned int* bus, unsigned int* device);
nvmlReturn_t bus_id_text(unsigned int index, char* text, unsigned int length);
nvmlReturn_t is_primary_gpu(nvmlDevice_t device, unsigned int* is_primary);
nvmlReturn_t has_system_controller(nvmlDevice_t device, unsigned int* has);
nvmlReturn_t pcie_path(const char* bus_id_a, const char* bus_id_b, unsigned int* path);
nvmlReturn_t is_monitored(nvmlDevice_t device, unsigned int* monitored);
nvmlReturn_t private_field_values(nvmlDevice_t device, unsigned int count, nvmlFieldValue_t* values);
nvmlReturn_t base_clock(nvmlDevice_t device, unsigned int type, unsigned int* mhz);
nvmlReturn_t compute_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes);
nvmlReturn_t mps_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes);
nvmlReturn_t graphics_processes(nvmlDevice_t device, unsigned int* count, PrivateProcess* processes);
nvmlReturn_t pcie_atomics(nvmlDevice_t device, AtomicCapabilities* capabilities);
nvmlReturn_t host_max_link_generation(nvmlDevice_t device, unsigned int* generation);
nvmlReturn_t gpu_part_number(nvmlDevice_t device, char* text, unsigned int length);
nvmlReturn_t fru_part_number(nvmlDevice_t device, char* text, unsigned int length);
nvmlReturn_t temperature_margin(nvmlDevice_t device, int* celsius);
nvmlReturn_t graphics_voltage(nvmlDevice_t device, unsigned int* microvolts);
nvmlReturn_t sparse_operation_mode(nvmlDevice_t device, unsigned int* enabled);
nvmlReturn_t numa_node(nvmlDevice_t device, unsigned int* node);
nvmlReturn_t nearest_numa_nodes(nvmlDevice_t device, unsigned int words, unsigned long long* mask);
nvmlReturn_t addressing_mode(nvmlDevice_t device, unsigned int* mode);

// What nvidia-smi -r goes through, in this order.
nvmlReturn_t fabric_state(unsigned int* state);
nvmlReturn_t make_reset_group(unsigned long long* group, const nvmlDevice_t* devices, unsigned int count);
nvmlReturn_t missing_from_reset_group(unsigned long long group, char** bus_ids, unsigned int* count);
nvmlReturn_t free_reset_group(unsigned long long group);
nvmlReturn_t reset_gpus(unsigned int count, const nvmlDevice_t* devices, nvmlReturn_t* results, unsigned int* all);

// Lists of one slider, vboost, whose id is 0.
struct BoostSliders {
  unsigned int count;
  unsigned int id;
  unsigned int value;  // how many levels there are, or the one where it stands
};

nvmlReturn_t boost_slider_levels(nvmlDevice_t device, BoostSliders* sliders);
nvmlReturn_t boost_slider(nvmlDevice_t device, BoostSliders* sliders);
nvmlReturn_t set_boost_slider(nvmlDevice_t device, const BoostSliders* sliders);

nvmlReturn_t set_persistence_mode(nvmlDevice_t device, unsigned int mode, unsigned int* by_daemon);

}  // namespace nvmlkit::driver::slots
