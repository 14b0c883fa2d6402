// The names of quantities in the tools that record them, with the factors between their units and those of the model.
#include "recording/quantity.hpp"

namespace nvmlkit::recording {
namespace {

using Q = Quantity;

constexpr double kMebi = 1048576;
constexpr double kKilo = 1000;  // MB/s in KB/s
constexpr bool kWeak = true;

// Those of DCGM 2 to 4, then the longer ones of later versions.
constexpr Name kDcgmMetrics[] = {
    {"GPU_TEMP", Q::gpu_temperature},
    {"MEMORY_TEMP", Q::memory_temperature},
    {"GPU_TEMP_LIMIT", Q::temperature_margin},
    {"POWER_USAGE", Q::power_draw, 1e3},
    {"POWER_USAGE_INSTANT", Q::instant_power, 1e3},
    {"POWER_MGMT_LIMIT", Q::power_limit, 1e3},
    {"TOTAL_ENERGY_CONSUMPTION", Q::energy},
    {"SM_CLOCK", Q::sm_clock},
    {"MEM_CLOCK", Q::memory_clock},
    {"VIDEO_CLOCK", Q::video_clock},
    {"GPU_UTIL", Q::gpu_load},
    {"GR_ENGINE_ACTIVE", Q::gpu_load, 100, kWeak},
    {"SM_ACTIVE", Q::gpu_load, 100, kWeak},
    {"MEM_COPY_UTIL", Q::memory_load},
    {"DRAM_ACTIVE", Q::memory_load, 100, kWeak},
    {"ENC_UTIL", Q::encoder_load},
    {"DEC_UTIL", Q::decoder_load},
    {"FB_USED", Q::memory_used, kMebi},
    {"FB_FREE", Q::memory_free, kMebi},
    {"FB_RESERVED", Q::memory_reserved, kMebi},
    {"FAN_SPEED", Q::fan_speed},
    {"PSTATE", Q::performance_state},
    {"PCIE_LINK_GEN", Q::link_generation},
    {"PCIE_TX_THROUGHPUT", Q::pcie_sent},
    {"PCIE_RX_THROUGHPUT", Q::pcie_received},
    {"PCIE_TX_BYTES", Q::pcie_sent, 1e-3, kWeak},
    {"PCIE_RX_BYTES", Q::pcie_received, 1e-3, kWeak},
    {"PCIE_REPLAY_COUNTER", Q::pcie_replays},
    {"CLOCK_THROTTLE_REASONS", Q::event_reasons},
    {"CLOCKS_EVENT_REASONS", Q::event_reasons},
    {"ECC_SBE_VOL_TOTAL", Q::ecc_volatile_corrected},
    {"ECC_DBE_VOL_TOTAL", Q::ecc_volatile_uncorrected},
    {"ECC_SBE_AGG_TOTAL", Q::ecc_aggregate_corrected},
    {"ECC_DBE_AGG_TOTAL", Q::ecc_aggregate_uncorrected},
    {"CORRECTABLE_REMAPPED_ROWS", Q::rows_correctable},
    {"UNCORRECTABLE_REMAPPED_ROWS", Q::rows_uncorrectable},
    {"ROW_REMAP_PENDING", Q::rows_pending},
    {"ROW_REMAP_FAILURE", Q::rows_failed},
    {"POWER_VIOLATION", Q::limited_by_power, 1e-3},
    {"THERMAL_VIOLATION", Q::limited_by_heat, 1e-3},
    {"XID_ERRORS", Q::xid},
    {"GPU_TEMP_CELSIUS", Q::gpu_temperature},
    {"MEMORY_TEMP_CELSIUS", Q::memory_temperature},
    {"GPU_TEMP_MARGIN_CELSIUS", Q::temperature_margin},
    {"BOARD_POWER_WATTS", Q::power_draw, 1e3},
    {"BOARD_POWER_RAW_WATTS", Q::instant_power, 1e3},
    {"BOARD_POWER_LIMIT_REQUESTED_WATTS", Q::power_limit, 1e3},
    {"GPU_UTIL_RATIO", Q::gpu_load},
    {"GR_ENGINE_UTIL_RATIO", Q::gpu_load, 100, kWeak},
    {"SM_UTIL_RATIO", Q::gpu_load, 100, kWeak},
    {"DRAM_UTIL_RATIO", Q::memory_load, 100, kWeak},
    {"GPU_PSTATE", Q::performance_state},
    {"PCIE_REPLAY_TOTAL", Q::pcie_replays},
    {"ROW_REMAP_CORRECTABLE_TOTAL", Q::rows_correctable},
    {"ROW_REMAP_UNCORRECTABLE_TOTAL", Q::rows_uncorrectable},
    {"ROW_REMAP_FAILED", Q::rows_failed},
    {"XID_ERROR", Q::xid},
};

constexpr Name kDcgmColumns[] = {
    {"TMPTR", Q::gpu_temperature},
    {"MMTMP", Q::memory_temperature},
    {"GTLIMIT", Q::temperature_margin},
    {"POWER", Q::power_draw, 1e3},
    {"POWINST", Q::instant_power, 1e3},
    {"PMLMT", Q::power_limit, 1e3},
    {"TOTEC", Q::energy},
    {"SMCLK", Q::sm_clock},
    {"MMCLK", Q::memory_clock},
    {"VICLK", Q::video_clock},
    {"GPUTL", Q::gpu_load},
    {"GRACT", Q::gpu_load, 100, kWeak},
    {"SMACT", Q::gpu_load, 100, kWeak},
    {"MCUTL", Q::memory_load},
    {"DRAMA", Q::memory_load, 100, kWeak},
    {"ECUTL", Q::encoder_load},
    {"DCUTL", Q::decoder_load},
    {"FBUSD", Q::memory_used, kMebi},
    {"FBFRE", Q::memory_free, kMebi},
    {"FBRSV", Q::memory_reserved, kMebi},
    {"FANSP", Q::fan_speed},
    {"PSTAT", Q::performance_state},
    {"PCILG", Q::link_generation},
    {"TXTPT", Q::pcie_sent},
    {"RXTPT", Q::pcie_received},
    {"PCITX", Q::pcie_sent, 1e-3, kWeak},
    {"PCIRX", Q::pcie_received, 1e-3, kWeak},
    {"RPCTR", Q::pcie_replays},
    {"DVCCTR", Q::event_reasons},
    {"ESVTL", Q::ecc_volatile_corrected},
    {"EDVTL", Q::ecc_volatile_uncorrected},
    {"ESATL", Q::ecc_aggregate_corrected},
    {"EDATL", Q::ecc_aggregate_uncorrected},
    {"CRMPS", Q::rows_correctable},
    {"URMPS", Q::rows_uncorrectable},
    {"RRP", Q::rows_pending},
    {"RRF", Q::rows_failed},
    {"PVIOL", Q::limited_by_power, 1e-3},
    {"TVIOL", Q::limited_by_heat, 1e-3},
    {"XIDER", Q::xid},
};

constexpr Name kMonitorColumns[] = {
    {"pwr", Q::power_draw, 1e3},
    {"gtemp", Q::gpu_temperature},
    {"temp", Q::gpu_temperature},
    {"mtemp", Q::memory_temperature},
    {"sm", Q::gpu_load},
    {"mem", Q::memory_load},
    {"enc", Q::encoder_load},
    {"dec", Q::decoder_load},
    {"jpg", Q::jpeg_load},
    {"ofa", Q::ofa_load},
    {"mclk", Q::memory_clock},
    {"pclk", Q::sm_clock},
    {"fb", Q::memory_used, kMebi},
    {"sbecc", Q::ecc_volatile_corrected},
    {"dbecc", Q::ecc_volatile_uncorrected},
    {"pci", Q::pcie_replays},
    {"rxpci", Q::pcie_received, kKilo},
    {"txpci", Q::pcie_sent, kKilo},
};

}  // namespace

std::span<const Name> dcgm_metrics() { return kDcgmMetrics; }
std::span<const Name> dcgm_columns() { return kDcgmColumns; }
std::span<const Name> monitor_columns() { return kMonitorColumns; }

}  // namespace nvmlkit::recording
