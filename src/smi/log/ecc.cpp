// ECC mode and errors. Three generations of chips count errors in three ways.
#include "smi/log/row.hpp"
#include "smi/log/values.hpp"
#include "smi/memory_errors.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::Architecture;
using nvml::Device;
using nvml::EccCounter;
using nvml::EccSramErrorStatus;
using nvml::MemoryErrorType;
using nvml::MemoryLocation;

bool before_turing(const Gpu& gpu) { return !gpu.at_least(Architecture::turing); }
bool turing(const Gpu& gpu) { return gpu.at_least(Architecture::turing) && !gpu.at_least(Architecture::ampere); }
bool from_turing(const Gpu& gpu) { return gpu.at_least(Architecture::turing); }
bool from_ampere(const Gpu& gpu) { return gpu.at_least(Architecture::ampere); }

template <MemoryErrorType type, EccCounter counter, MemoryLocation location>
std::string errors(const Gpu& gpu) {
  const auto count = gpu->memory_error_counter(type, counter, location);
  return count ? text_of(gpu, *count) : gpu.failure(count.error());
}

template <MemoryErrorType type, EccCounter counter>
std::string total(const Gpu& gpu) {
  const auto count = gpu->total_ecc_errors(type, counter);
  return count ? text_of(gpu, *count) : gpu.failure(count.error());
}

template <auto member>
constexpr Read kSram = show<&Gpu::sram, member>;

// The status has them by kind; the older function tells the same number.
template <EccCounter counter>
std::string sram_correctable(const Gpu& gpu) {
  constexpr auto kMember =
      counter == kVolatile ? &EccSramErrorStatus::volatile_cor : &EccSramErrorStatus::aggregate_cor;
  return gpu.at_least(Architecture::ampere) ? show<&Gpu::sram, kMember>(gpu)
                                            : errors<kCorrected, counter, MemoryLocation::sram>(gpu);
}

std::string channel_repair(const Gpu& gpu) {
  return yes_no<&Device::repair_status, &nvml::RepairStatus::channel_repair_pending>(gpu);
}
std::string tpc_repair(const Gpu& gpu) {
  return yes_no<&Device::repair_status, &nvml::RepairStatus::tpc_repair_pending>(gpu);
}
std::string unrepairable(const Gpu& gpu) {
  return yes_no<&Device::unrepairable_memory_flag, &nvml::UnrepairableMemory::unrepairable_memory>(gpu);
}

constexpr Sections kEcc = Section::kLog | Section::kEcc;
constexpr Versions kUnrepairable = backported(580, 159, 590);

// clang-format off
#define NVMLKIT_OLD_ERRORS(heading, element, type, counter)                                                           \
    {3, heading, element, nullptr, kAlways, before_turing},                                                           \
    {4, "Device Memory", "device_memory", errors<type, counter, MemoryLocation::device_memory>},                       \
    {4, "Register File", "register_file", errors<type, counter, MemoryLocation::register_file>},                       \
    {4, "L1 Cache", "l1_cache", errors<type, counter, MemoryLocation::l1_cache>},                                      \
    {4, "L2 Cache", "l2_cache", errors<type, counter, MemoryLocation::l2_cache>},                                      \
    {4, "Texture Memory", "texture_memory", errors<type, counter, MemoryLocation::texture_memory>},                    \
    {4, "Texture Shared", "texture_shm", errors<type, counter, MemoryLocation::texture_shm>},                          \
    {4, "CBU", "cbu", errors<type, counter, MemoryLocation::cbu>},                                                     \
    {4, "Total", "total", total<type, counter>}

constexpr Row kEccRows[] = {
    {1, "ECC Mode", "ecc_mode", nullptr, kAlways, nullptr, kEcc},
    {2, "Current", "current_ecc", show<&Gpu::ecc_mode, &Device::EccMode::current>},
    {2, "Pending", "pending_ecc", show<&Gpu::ecc_mode, &Device::EccMode::pending>},
    {1, "ECC Errors", "ecc_errors", nullptr, kAlways, nullptr, kEcc},
    {2, "Volatile", "volatile"},
    NVMLKIT_OLD_ERRORS("Single Bit            ", "single_bit", kCorrected, kVolatile),
    NVMLKIT_OLD_ERRORS("Double Bit            ", "double_bit", kUncorrected, kVolatile),
    {3, "SRAM Correctable", "sram_correctable", sram_correctable<kVolatile>, kAlways, from_turing},
    {3, "SRAM Uncorrectable", "sram_uncorrectable", errors<kUncorrected, kVolatile, MemoryLocation::sram>, kAlways, turing},
    {3, "SRAM Uncorrectable Parity", "sram_uncorrectable_parity", kSram<&EccSramErrorStatus::volatile_unc_parity>, kAlways, from_ampere},
    {3, "SRAM Uncorrectable SEC-DED", "sram_uncorrectable_secded", kSram<&EccSramErrorStatus::volatile_unc_sec_ded>, kAlways, from_ampere},
    {3, "DRAM Correctable", "dram_correctable", errors<kCorrected, kVolatile, MemoryLocation::dram>, kAlways, from_turing},
    {3, "DRAM Uncorrectable", "dram_uncorrectable", errors<kUncorrected, kVolatile, MemoryLocation::dram>, kAlways, from_turing},
    {2, "Aggregate", "aggregate"},
    NVMLKIT_OLD_ERRORS("Single Bit            ", "single_bit", kCorrected, kAggregate),
    NVMLKIT_OLD_ERRORS("Double Bit            ", "double_bit", kUncorrected, kAggregate),
    {3, "SRAM Correctable", "sram_correctable", sram_correctable<kAggregate>, kAlways, from_turing},
    {3, "SRAM Uncorrectable", "sram_uncorrectable", errors<kUncorrected, kAggregate, MemoryLocation::sram>, kAlways, turing},
    {3, "SRAM Uncorrectable Parity", "sram_uncorrectable_parity", kSram<&EccSramErrorStatus::aggregate_unc_parity>, kAlways, from_ampere},
    {3, "SRAM Uncorrectable SEC-DED", "sram_uncorrectable_secded", kSram<&EccSramErrorStatus::aggregate_unc_sec_ded>, kAlways, from_ampere},
    {3, "DRAM Correctable", "dram_correctable", errors<kCorrected, kAggregate, MemoryLocation::dram>, kAlways, from_turing},
    {3, "DRAM Uncorrectable", "dram_uncorrectable", errors<kUncorrected, kAggregate, MemoryLocation::dram>, kAlways, from_turing},
    {3, "SRAM Threshold Exceeded", "sram_threshold_exceeded", yes_no<&Gpu::sram, &EccSramErrorStatus::threshold_exceeded>, kAlways, from_ampere},
    {2, "Aggregate Uncorrectable SRAM Sources", "aggregate_uncorrectable_sram_sources", nullptr, kAlways, from_ampere},
    {3, "SRAM L2", "sram_l2", kSram<&EccSramErrorStatus::aggregate_unc_bucket_l2>},
    {3, "SRAM SM", "sram_sm", kSram<&EccSramErrorStatus::aggregate_unc_bucket_sm>},
    {3, "SRAM Microcontroller", "sram_microcontroller", kSram<&EccSramErrorStatus::aggregate_unc_bucket_mcu>},
    {3, "SRAM PCIE", "sram_pcie", kSram<&EccSramErrorStatus::aggregate_unc_bucket_pcie>},
    {3, "SRAM Other", "sram_other", kSram<&EccSramErrorStatus::aggregate_unc_bucket_other>},
    {2, "Channel Repair Pending", "channel_repair_pending", channel_repair, from(580), from_ampere},
    {2, "TPC Repair Pending", "tpc_repair_pending", tpc_repair, from(580), from_ampere},
    {2, "Unrepairable Memory", "unrepairable_memory", unrepairable, kUnrepairable, from_ampere},
};
#undef NVMLKIT_OLD_ERRORS
// clang-format on

}  // namespace

std::span<const Row> ecc_rows() { return kEccRows; }

}  // namespace nvmlkit::smi
