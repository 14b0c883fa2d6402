#include "driver/nvml/private_table/table.hpp"

#include <array>
#include <cstring>

#include "driver/nvml/call/call.hpp"
#include "driver/nvml/private_table/slots.hpp"

// Public functions that the real tables hold too.
NVMLKIT_EXPORTS_BEGIN
using namespace nvmlkit::abi;
nvmlReturn_t nvmlDeviceGetGpuOperationMode(nvmlDevice_t, nvmlGpuOperationMode_t*, nvmlGpuOperationMode_t*);
nvmlReturn_t nvmlDeviceSetGpuOperationMode(nvmlDevice_t, nvmlGpuOperationMode_t);
nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t, nvmlEnableState_t*);
nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t, unsigned int*, unsigned int*);
nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t, unsigned int*);
nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t, unsigned int);
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long*);
nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t, unsigned long long*);
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t, unsigned int*);
nvmlReturn_t nvmlDeviceGetBoardPartNumber(nvmlDevice_t, char*, unsigned int);
NVMLKIT_EXPORTS_END

namespace nvmlkit::driver {
namespace {

using Id = std::array<unsigned char, 16>;

constexpr Id kId = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
// nvidia-debugdump asks for two more: what a GPU is beside a GPU, and what can be dumped of it.
constexpr Id kControllerId = {0x9e, 0x8c, 0x7a, 0x58, 0x12, 0x3a, 0xb5, 0x4f,
                              0xb9, 0xe3, 0xf4, 0xba, 0x39, 0x45, 0xdd, 0x5f};
constexpr Id kDumpId = {0xb8, 0x1d, 0xd7, 0x30, 0xe4, 0xd2, 0x81, 0x44, 0x9c, 0xd0, 0xe1, 0xde, 0x35, 0x04, 0xfa, 0x27};

// The size of 555's table, the largest of the three branches: a program of an older branch does not call what is
// behind its own. A table that is too short makes nvidia-smi print "Uninitialized" where it should print "N/A".
constexpr std::size_t kWords = 2040 / sizeof(void*);

// Never writes: what a slot's arguments mean is not known, and some are no pointers.
abi::nvmlReturn_t not_supported() { return abi::NVML_ERROR_NOT_SUPPORTED; }

// Words that are null in the real tables of all three branches.
constexpr int kNull[] = {1,   2,   24,  26,  35,  60,  64,  90,  104, 121, 122, 139, 150, 157, 158, 159, 160, 161,
                         162, 163, 167, 176, 177, 178, 187, 190, 191, 198, 201, 202, 207, 211, 216, 217, 235, 236};

using Table = std::array<const void*, kWords>;

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

// The first word of a table: its size in bytes.
template <std::size_t words>
const void* size_of() {
  return reinterpret_cast<const void*>(words * sizeof(void*));
}

Table make_table() {
  Table table;
  table.fill(address(&not_supported));
  table[0] = size_of<kWords>();
  for (const int slot : kNull) table[static_cast<std::size_t>(slot)] = nullptr;

  table[29] = address(&nvmlDeviceGetGpuOperationMode);
  table[30] = address(&nvmlDeviceSetGpuOperationMode);
  table[31] = address(&nvmlDeviceGetDisplayActive);
  table[46] = address(&nvmlDeviceGetPowerManagementLimitConstraints);
  table[47] = address(&nvmlDeviceGetPowerManagementDefaultLimit);
  table[48] = address(&nvmlDeviceSetPowerManagementLimit);
  table[57] = address(&nvmlDeviceGetCurrentClocksThrottleReasons);
  table[58] = address(&nvmlDeviceGetSupportedClocksThrottleReasons);
  table[108] = address(&nvmlDeviceGetEnforcedPowerLimit);
  table[149] = address(&nvmlDeviceGetBoardPartNumber);

  table[12] = address(&slots::parse_bus_id);
  table[20] = address(&slots::is_primary_gpu);
  table[23] = address(&slots::pcie_path);
  table[72] = address(&slots::is_monitored);
  table[75] = address(&slots::pci_location);
  table[81] = address(&slots::bus_id_text);
  table[165] = address(&slots::private_field_values);
  table[209] = address(&slots::graphics_voltage);
  table[210] = address(&slots::base_clock);
  table[213] = address(&slots::compute_processes);
  table[214] = address(&slots::mps_processes);
  table[215] = address(&slots::graphics_processes);
  table[223] = address(&slots::nearest_numa_nodes);
  table[226] = address(&slots::pcie_atomics);
  table[230] = address(&slots::host_max_link_generation);
  table[231] = address(&slots::gpu_part_number);
  table[237] = address(&slots::fru_part_number);
  table[240] = address(&slots::temperature_margin);
  table[241] = address(&slots::numa_node);
  table[242] = address(&slots::addressing_mode);
  table[243] = address(&slots::sparse_operation_mode);  // 535
  table[249] = address(&slots::sparse_operation_mode);  // 550, 555

  table[168] = address(&slots::reset_gpus);
  table[169] = address(&slots::fabric_state);
  table[182] = address(&slots::make_reset_group);
  table[183] = address(&slots::missing_from_reset_group);
  table[184] = address(&slots::free_reset_group);
  table[194] = address(&slots::boost_slider_levels);
  table[195] = address(&slots::boost_slider);
  table[196] = address(&slots::set_boost_slider);
  table[251] = address(&slots::set_persistence_mode);
  return table;
}

const auto& controller_table() {
  static const std::array<const void*, 2> table{size_of<2>(), address(&slots::has_system_controller)};
  return table;
}

const auto& dump_table() {
  static const auto table = [] {
    std::array<const void*, 8> words;
    words.fill(address(&not_supported));
    words[0] = size_of<8>();
    return words;
  }();
  return table;
}

}  // namespace

const void* private_table(const void* id) {
  static const Table table = make_table();
  const auto is = [id](const Id& known) { return std::memcmp(id, known.data(), known.size()) == 0; };
  if (is(kId)) return table.data();
  if (is(kControllerId)) return controller_table().data();
  return is(kDumpId) ? dump_table().data() : nullptr;
}

}  // namespace nvmlkit::driver
