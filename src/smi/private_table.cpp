#include "smi/private_table.hpp"

#include <array>

namespace nvmlkit::smi {
namespace {

using abi::nvmlDevice_t;
using abi::nvmlReturn_t;
using nvml::Errc;
using nvml::Failure;
using nvml::Result;

constexpr std::array<unsigned char, 16> kTableId = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                                    0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
constexpr std::array<std::size_t, 3> kKnownSizes = {1960, 2008, 2040};  // 535, 550, 555
constexpr std::size_t kNumaNode = 241, kSparse535 = 243, kSparse550 = 249;

Failure slot_failure(nvmlReturn_t code) { return Failure(static_cast<Errc>(code)); }
Failure no_slot() { return Failure(Errc::not_supported); }

}  // namespace

PrivateTable::PrivateTable(const nvml::Library& library) {
  using GetTable = nvmlReturn_t (*)(const void**, const void*);
  const auto get = reinterpret_cast<GetTable>(library.table().InternalGetExportTable);
  const void* found = nullptr;
  if (!get || get(&found, kTableId.data()) != abi::NVML_SUCCESS || !found) return;
  const auto size = *static_cast<const std::size_t*>(found);
  for (const auto known : kKnownSizes)
    if (size == known) {
      table_ = static_cast<const void* const*>(found);
      words_ = size / sizeof(void*);
    }
}

template <class Function>
Function PrivateTable::slot(std::size_t number) const {
  return number < words_ ? reinterpret_cast<Function>(const_cast<void*>(table_[number])) : nullptr;
}

Result<unsigned int> PrivateTable::number(const nvml::Device& device, std::size_t slot_number) const {
  const auto function = slot<nvmlReturn_t (*)(nvmlDevice_t, unsigned int*)>(slot_number);
  if (!function) return no_slot();
  unsigned int value = 0;
  if (const auto code = function(device.handle(), &value); code != abi::NVML_SUCCESS) return slot_failure(code);
  return value;
}

Result<std::string> PrivateTable::text(const nvml::Device& device, std::size_t slot_number, unsigned int length) const {
  const auto function = slot<nvmlReturn_t (*)(nvmlDevice_t, char*, unsigned int)>(slot_number);
  if (!function) return no_slot();
  std::string buffer(length, '\0');
  if (const auto code = function(device.handle(), buffer.data(), length); code != abi::NVML_SUCCESS)
    return slot_failure(code);
  buffer.resize(buffer.find('\0') == std::string::npos ? length : buffer.find('\0'));
  return buffer;
}

Result<std::string> PrivateTable::gpu_part_number(const nvml::Device& device) const { return text(device, 231, 80); }
Result<std::string> PrivateTable::fru_part_number(const nvml::Device& device) const { return text(device, 237, 20); }

Result<AtomicCapabilities> PrivateTable::pcie_atomics(const nvml::Device& device) const {
  const auto function = slot<nvmlReturn_t (*)(nvmlDevice_t, AtomicCapabilities*)>(226);
  if (!function) return no_slot();
  AtomicCapabilities value{};
  if (const auto code = function(device.handle(), &value); code != abi::NVML_SUCCESS) return slot_failure(code);
  return value;
}

Result<unsigned int> PrivateTable::host_max_link_generation(const nvml::Device& device) const {
  return number(device, 230);
}
Result<unsigned int> PrivateTable::graphics_microvolts(const nvml::Device& device) const { return number(device, 209); }

Result<nvml::Celsius> PrivateTable::temperature_margin(const nvml::Device& device) const {
  const auto value = number(device, 240);
  if (!value) return value.error();
  return nvml::Celsius(static_cast<int>(*value));
}

// 535 has it in another slot than 550 and 555, whose table is larger.
Result<unsigned int> PrivateTable::sparse_operation_mode(const nvml::Device& device) const {
  return number(device, words_ * sizeof(void*) == kKnownSizes[0] ? kSparse535 : kSparse550);
}
Result<unsigned int> PrivateTable::addressing_mode(const nvml::Device& device) const { return number(device, 242); }
Result<unsigned int> PrivateTable::numa_node(const nvml::Device& device) const { return number(device, kNumaNode); }
Result<unsigned int> PrivateTable::deferred_memory_khz(const nvml::Device& device) const { return number(device, 232); }
Result<unsigned int> PrivateTable::is_monitored(const nvml::Device& device) const { return number(device, 72); }

Result<unsigned int> PrivateTable::pcie_path(const std::string& bus_id_a, const std::string& bus_id_b) const {
  const auto function = slot<nvmlReturn_t (*)(const char*, const char*, unsigned int*)>(23);
  if (!function) return no_slot();
  unsigned int value = 0;
  if (const auto code = function(bus_id_a.c_str(), bus_id_b.c_str(), &value); code != abi::NVML_SUCCESS)
    return slot_failure(code);
  return value;
}

Result<std::string> PrivateTable::bus_id(unsigned int index) const {
  constexpr unsigned int kLength = 34;
  const auto function = slot<nvmlReturn_t (*)(unsigned int, char*, unsigned int)>(81);
  if (!function) return no_slot();
  std::string buffer(kLength, '\0');
  if (const auto code = function(index, buffer.data(), kLength); code != abi::NVML_SUCCESS) return slot_failure(code);
  buffer.resize(buffer.find('\0') == std::string::npos ? kLength : buffer.find('\0'));
  return buffer;
}

Result<unsigned int> PrivateTable::private_field(const nvml::Device& device, unsigned int id) const {
  const auto function = slot<nvmlReturn_t (*)(nvmlDevice_t, unsigned int, abi::nvmlFieldValue_t*)>(165);
  if (!function) return no_slot();
  abi::nvmlFieldValue_t field{};
  field.fieldId = id;
  if (const auto code = function(device.handle(), 1, &field); code != abi::NVML_SUCCESS) return slot_failure(code);
  if (field.nvmlReturn != abi::NVML_SUCCESS) return slot_failure(field.nvmlReturn);
  return field.value.uiVal;
}

}  // namespace nvmlkit::smi
