// vGPU calls that are irregular in C: metadata that travels, typed utilization, ids and versions.
#include <gtest/gtest.h>

#include <cstddef>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;
using test::library_of;

// A block of `opaque` bytes behind the fixed part.
template <class Block>
abi::nvmlReturn_t answer_block(Block* block, unsigned int* size, unsigned int opaque) {
  const auto needed = static_cast<unsigned int>(offsetof(Block, opaqueData) + opaque);
  const bool fits = block && *size >= needed;
  *size = needed;
  if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  block->revision = 9;
  block->opaqueDataSize = opaque;
  std::strcpy(block->hostDriverVersion, "550.163.01");
  char* const data = block->opaqueData;  // longer than its declaration
  for (unsigned int i = 0; i < opaque; ++i) data[i] = static_cast<char>(i);
  return abi::NVML_SUCCESS;
}

Table vgpu_table() {
  Table table = fake_table();
  table.VgpuInstanceGetMetadata = [](abi::nvmlVgpuInstance_t, abi::nvmlVgpuMetadata_t* block, unsigned int* size) {
    return answer_block(block, size, 300);
  };
  table.DeviceGetVgpuMetadata = [](abi::nvmlDevice_t, abi::nvmlVgpuPgpuMetadata_t* block, unsigned int* size) {
    return answer_block(block, size, 2);
  };
  table.GetVgpuCompatibility = [](abi::nvmlVgpuMetadata_t* vgpu, abi::nvmlVgpuPgpuMetadata_t* pgpu,
                                  abi::nvmlVgpuPgpuCompatibility_t* answer) {
    answer->vgpuVmCompatibility = vgpu->opaqueDataSize == 300 && pgpu->opaqueDataSize == 2
                                      ? abi::NVML_VGPU_VM_COMPATIBILITY_LIVE
                                      : abi::NVML_VGPU_VM_COMPATIBILITY_NONE;
    return abi::NVML_SUCCESS;
  };
  return table;
}

TEST(Vgpu, MetadataTravels) {
  const Library library = library_of(vgpu_table());
  const auto vgpu = VgpuInstance(library.session(), 1).metadata().value();
  EXPECT_EQ(vgpu.revision(), 9u);
  EXPECT_EQ(vgpu.host_driver_version(), "550.163.01");
  EXPECT_EQ(vgpu.guest_driver_version(), "");
  ASSERT_EQ(vgpu.opaque_data().size(), 300u);
  EXPECT_EQ(vgpu.opaque_data()[5], std::byte{5});
  const auto pgpu = library.device(0).value().vgpu_metadata().value();
  EXPECT_EQ(pgpu.opaque_data().size(), 2u);
  const auto carried = VgpuMetadata::from_bytes(vgpu.bytes()).value();
  EXPECT_EQ(library.vgpu_compatibility(carried, pgpu).value().vm, VgpuVmCompatibility::live);
}

TEST(Vgpu, MetadataThatIsCutOffIsRefused) {
  const Library library = library_of(vgpu_table());
  const auto whole = VgpuInstance(library.session(), 1).metadata().value();
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, whole.bytes().size() - 1})
    EXPECT_EQ(VgpuMetadata::from_bytes(whole.bytes().first(size)).error().code(), Errc::malformed_answer) << size;
}

TEST(Vgpu, UtilizationIsTypedByTheDriver) {
  Table table = fake_table();
  table.DeviceGetVgpuUtilization = [](abi::nvmlDevice_t, unsigned long long since, abi::nvmlValueType_t* type,
                                      unsigned int* count, abi::nvmlVgpuInstanceUtilizationSample_t* samples) {
    EXPECT_EQ(since, 77u);
    const bool fits = samples && *count >= 1;
    *count = 1;
    if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    *type = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    samples[0].vgpuInstance = 4;
    samples[0].timeStamp = 100;
    samples[0].smUtil.ullVal = 0xFFFFFFFF00000021ULL;
    return abi::NVML_SUCCESS;
  };
  const auto list = device_of(table).vgpu_utilization(std::chrono::microseconds(77)).value();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].instance.handle(), 4u);
  EXPECT_EQ(std::get<std::uint64_t>(list[0].sm), 0x21u);
}

TEST(Vgpu, VmIdAndVersions) {
  Table table = fake_table();
  table.VgpuInstanceGetVmID = [](abi::nvmlVgpuInstance_t, char* text, unsigned int, abi::nvmlVgpuVmIdType_t* type) {
    std::strcpy(text, "vm-1");
    *type = abi::NVML_VGPU_VM_ID_UUID;
    return abi::NVML_SUCCESS;
  };
  table.GetVgpuVersion = [](abi::nvmlVgpuVersion_t* supported, abi::nvmlVgpuVersion_t* current) {
    *supported = {1, 9};
    *current = {3, 4};
    return abi::NVML_SUCCESS;
  };
  const Library library = library_of(table);
  const auto id = VgpuInstance(library.session(), 1).vm_id().value();
  EXPECT_EQ(id.id, "vm-1");
  EXPECT_EQ(id.type, VmIdType::uuid);
  const auto versions = library.vgpu_versions().value();
  EXPECT_EQ(versions.supported.highest, 9u);
  EXPECT_EQ(versions.current.lowest, 3u);
}

}  // namespace
}  // namespace nvmlkit::nvml
