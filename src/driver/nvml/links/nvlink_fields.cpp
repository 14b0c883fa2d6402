// Field values of NVLink. Old ids contain the link, newer ids have it as their scope.
#include <limits>
#include <optional>

#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/links/nvlink.hpp"
#include "sim/links/links.hpp"
#include "sim/mig/instances.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver {

using namespace abi;

namespace {

using sim::links::Error;
using sim::model::Architecture;
using sim::model::Gpu;
using sim::telemetry::Reading;

constexpr unsigned int kAllLinks = std::numeric_limits<unsigned int>::max();

// Ids of one thing for links 0 to 5, 6 to 11 and for all together; 0 where there is none for all.
struct Family {
  int first, sixth, total;
};

// Which link the id is about: its number, all_links, or nothing when it is of another family.
std::optional<unsigned int> link_of(unsigned int id, const Family& family) {
  const auto number = static_cast<int>(id);
  if (number >= family.first && number < family.first + 6) return id - family.first;
  if (number >= family.sixth && number < family.sixth + 6) return id - family.sixth + 6;
  if (family.total != 0 && number == family.total) return kAllLinks;
  return {};
}

struct ErrorFamily {
  Family ids;
  Error kind;
};
constexpr ErrorFamily kErrorFamilies[] = {
    {{FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L0, FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L6,
      FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL},
     Error::crc_flit},
    {{FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L0, FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L6,
      FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL},
     Error::crc_data},
    {{FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L0, FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L6, FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL},
     Error::replay},
    {{FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L0, FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L6,
      FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL},
     Error::recovery},
    {{FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_L0, FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_L6,
      FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_TOTAL},
     Error::ecc_data},
};
constexpr Family kSpeeds{FI_DEV_NVLINK_SPEED_MBPS_L0, FI_DEV_NVLINK_SPEED_MBPS_L6, FI_DEV_NVLINK_SPEED_MBPS_COMMON};

template <class Add>
nvmlReturn_t over_links(const Gpu& gpu, unsigned int link, Add add) {
  if (link == kAllLinks) {
    for (unsigned int i = 0; i < sim::links::count(gpu); ++i) add(i);
    return NVML_SUCCESS;
  }
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  add(link);
  return NVML_SUCCESS;
}

nvmlReturn_t errors(const Gpu& gpu, const Reading& now, unsigned int link, Error kind, nvmlFieldValue_t& out) {
  unsigned long long sum = 0;
  const auto result =
      over_links(gpu, link, [&](unsigned int i) { sum += sim::links::counts(gpu, now, i).errors[kind]; });
  return result == NVML_SUCCESS ? put_ullong(sum, out) : result;
}

// The result for errors that the links do not count: a link that the GPU lacks is an invalid argument before that.
nvmlReturn_t uncounted(const Gpu& gpu, unsigned int link) {
  const auto result = link == kAllLinks ? NVML_SUCCESS : check_link(gpu, link);
  return result == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : result;
}

using Direction = double sim::links::Counts::*;

nvmlReturn_t put_bytes(const Gpu& gpu, const Reading& now, unsigned int link, Direction direction, double per_byte,
                       nvmlFieldValue_t& out) {
  double sum = 0;
  const auto result = over_links(gpu, link, [&](unsigned int i) { sum += sim::links::counts(gpu, now, i).*direction; });
  return result == NVML_SUCCESS ? put_ullong(static_cast<unsigned long long>(sum * per_byte), out) : result;
}

nvmlReturn_t speed(const Gpu& gpu, unsigned int link, nvmlFieldValue_t& out) {
  if (link == kAllLinks) return put_uint(gpu.links.mbps, out);
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  return put_uint(sim::links::is_active(gpu, link) ? gpu.links.mbps : 0, out);
}

// Links sleep while the GPU has nothing to do.
nvmlReturn_t power_state(const Gpu& gpu, const Reading& now, unsigned int link, nvmlFieldValue_t& out) {
  if (!sim::is_from(gpu, Architecture::hopper)) return NVML_ERROR_NOT_SUPPORTED;
  if (const auto result = check_link(gpu, link); result != NVML_SUCCESS) return result;
  const bool busy = now(gpu.utilization.gpu).value_or(0) > 0;
  return put_uint(busy ? NVLINK_POWER_STATE_HIGH_SPEED : NVLINK_POWER_STATE_LOW, out);
}

constexpr double kFlitOverhead = 1.125;  // 16 bytes of header and check for 128 of data
constexpr double kPacketsPerByte = 1 / 128.0;
constexpr double kBlocksPerByte = 1 / 64.0;  // what FEC protects
constexpr unsigned int kNoErrors =           // bit error rate: mantissa and negative exponent at their most
    NVLINK_BER_MANTISSA_WIDTH << NVLINK_BER_MANTISSA_SHIFT | NVLINK_BER_EXP_WIDTH << NVLINK_BER_EXP_SHIFT;

// 1e-N, as the driver packs a bit error rate.
unsigned int packed_rate(double errors, double bits) {
  if (errors <= 0 || bits <= 0) return kNoErrors;
  double rate = errors / bits;
  unsigned int exponent = 0;
  for (; rate < 1 && exponent < NVLINK_BER_EXP_WIDTH; ++exponent) rate *= 10;
  const auto mantissa = static_cast<unsigned int>(rate < NVLINK_BER_MANTISSA_WIDTH ? rate : NVLINK_BER_MANTISSA_WIDTH);
  return mantissa << NVLINK_BER_MANTISSA_SHIFT | exponent << NVLINK_BER_EXP_SHIFT;
}

// Whole packets and blocks: the value for all links is exactly the sum of their values.
unsigned long long share(double bytes, double per_byte) { return static_cast<unsigned long long>(bytes * per_byte); }

bool is_error_rate(unsigned int id) {
  return id == FI_DEV_NVLINK_COUNT_EFFECTIVE_BER || id == FI_DEV_NVLINK_COUNT_SYMBOL_BER;
}

// A counter of NVLink 5. What a healthy link never counts is 0, whatever the load; damaged flits are the errors.
// Nothing for raw errors, retransmission and data rate: no source shows the answer of GPUs.
std::optional<unsigned long long> nvlink5_count(const sim::links::Counts& counts, unsigned int id) {
  const auto damaged = counts.errors[Error::crc_flit];
  if (id >= FI_DEV_NVLINK_COUNT_FEC_HISTORY_0 && id <= FI_DEV_NVLINK_COUNT_FEC_HISTORY_15) {
    const auto corrected = id - FI_DEV_NVLINK_COUNT_FEC_HISTORY_0;
    if (corrected == 0) return share(counts.bytes, kBlocksPerByte);
    return corrected == 1 ? damaged : 0;
  }
  switch (id) {
    case FI_DEV_NVLINK_COUNT_XMIT_PACKETS:
      return share(counts.sent, kPacketsPerByte);
    case FI_DEV_NVLINK_COUNT_RCV_PACKETS:
      return share(counts.received, kPacketsPerByte);
    case FI_DEV_NVLINK_COUNT_XMIT_BYTES:
      return share(counts.sent, 1);
    case FI_DEV_NVLINK_COUNT_RCV_BYTES:
      return share(counts.received, 1);
    case FI_DEV_NVLINK_COUNT_RCV_ERRORS:
    case FI_DEV_NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS:
    case FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS:
    case FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS:
      return damaged;
    case FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS:
    case FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS:
      return counts.errors[Error::recovery];
    case FI_DEV_NVLINK_COUNT_VL15_DROPPED:
    case FI_DEV_NVLINK_COUNT_MALFORMED_PACKET_ERRORS:
    case FI_DEV_NVLINK_COUNT_BUFFER_OVERRUN_ERRORS:
    case FI_DEV_NVLINK_COUNT_RCV_REMOTE_ERRORS:
    case FI_DEV_NVLINK_COUNT_RCV_GENERAL_ERRORS:
    case FI_DEV_NVLINK_COUNT_XMIT_DISCARDS:
    case FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS:
      return 0;
    default:
      return {};
  }
}

// The counters of NVLink 5, of a link or of all together. The error rate of all is that of all their bits.
nvmlReturn_t nvlink5(const Gpu& gpu, const Reading& now, unsigned int id, unsigned int link, nvmlFieldValue_t& out) {
  if (gpu.links.version < 5) return NVML_ERROR_NOT_SUPPORTED;
  double bytes = 0;
  unsigned long long damaged = 0, sum = 0;
  bool counted = true;
  const auto result = over_links(gpu, link, [&](unsigned int i) {
    const auto counts = sim::links::counts(gpu, now, i);
    const auto value = nvlink5_count(counts, id);
    counted = counted && value.has_value();
    sum += value.value_or(0);
    bytes += counts.bytes;
    damaged += counts.errors[Error::crc_flit];
  });
  if (result != NVML_SUCCESS) return result;
  if (is_error_rate(id)) return put_ullong(packed_rate(static_cast<double>(damaged), bytes * 8), out);
  return counted ? put_ullong(sum, out) : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace

bool counts_nvlink_errors(unsigned int id) {
  if (id == FI_DEV_NVLINK_ERROR_DL_REPLAY || id == FI_DEV_NVLINK_ERROR_DL_RECOVERY || id == FI_DEV_NVLINK_ERROR_DL_CRC)
    return true;
  for (const auto& family : kErrorFamilies)
    if (link_of(id, family.ids)) return true;
  return false;
}

void clear_nvlink_errors(const sim::Machine& machine, Gpu& gpu, unsigned int id, unsigned int scope) {
  unsigned int link = scope;
  for (const auto& family : kErrorFamilies)
    if (const auto named = link_of(id, family.ids)) link = *named;
  for (unsigned int i = 0; i < sim::links::count(gpu); ++i)
    if (link == kAllLinks || link == i) sim::links::clear_errors(machine, gpu, i);
}

nvmlReturn_t nvlink_field(const Gpu& gpu, const Reading& now, unsigned int id, unsigned int scope,
                          nvmlFieldValue_t& out) {
  if (sim::links::count(gpu) == 0 || sim::mig::enabled(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const bool counts_errors = gpu.links.version < 5;
  for (const auto& family : kErrorFamilies)
    if (const auto link = link_of(id, family.ids)) {
      const bool counted = counts_errors && (family.kind != Error::ecc_data || sim::is_from(gpu, Architecture::ampere));
      return counted ? errors(gpu, now, *link, family.kind, out) : uncounted(gpu, *link);
    }
  if (const auto link = link_of(id, kSpeeds)) return speed(gpu, *link, out);
  switch (id) {
    case FI_DEV_NVLINK_LINK_COUNT:
      return put_uint(sim::links::count(gpu), out);
    case FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT:
      return put_uint(sim::links::to_switches(gpu), out);
    case FI_DEV_NVLINK_THROUGHPUT_DATA_TX:
      return put_bytes(gpu, now, scope, &sim::links::Counts::sent, 1 / 1024.0, out);
    case FI_DEV_NVLINK_THROUGHPUT_DATA_RX:
      return put_bytes(gpu, now, scope, &sim::links::Counts::received, 1 / 1024.0, out);
    case FI_DEV_NVLINK_THROUGHPUT_RAW_TX:
      return put_bytes(gpu, now, scope, &sim::links::Counts::sent, kFlitOverhead / 1024, out);
    case FI_DEV_NVLINK_THROUGHPUT_RAW_RX:
      return put_bytes(gpu, now, scope, &sim::links::Counts::received, kFlitOverhead / 1024, out);
    case FI_DEV_NVLINK_REMOTE_NVLINK_ID:
      if (const auto result = check_link(gpu, scope); result != NVML_SUCCESS) return result;
      return sim::links::is_active(gpu, scope) ? put_uint(gpu.links.links[scope].remote_link, out)
                                               : NVML_ERROR_NOT_SUPPORTED;
    case FI_DEV_NVLINK_ERROR_DL_REPLAY:
      return counts_errors ? errors(gpu, now, scope, Error::replay, out) : uncounted(gpu, scope);
    case FI_DEV_NVLINK_ERROR_DL_RECOVERY:
      return counts_errors ? errors(gpu, now, scope, Error::recovery, out) : uncounted(gpu, scope);
    case FI_DEV_NVLINK_ERROR_DL_CRC:
      return counts_errors ? errors(gpu, now, scope, Error::crc_flit, out) : uncounted(gpu, scope);
    case FI_DEV_NVLINK_GET_SPEED:
      return scope == kAllLinks ? NVML_ERROR_INVALID_ARGUMENT : speed(gpu, scope, out);
    case FI_DEV_NVLINK_GET_STATE:
      if (const auto result = check_link(gpu, scope); result != NVML_SUCCESS) return result;
      return put_uint(sim::links::is_active(gpu, scope) ? 1 : 0, out);
    case FI_DEV_NVLINK_GET_VERSION:
      if (const auto result = check_link(gpu, scope); result != NVML_SUCCESS) return result;
      return put_uint(nvlink_version(gpu), out);
    case FI_DEV_NVLINK_GET_POWER_STATE:
      return power_state(gpu, now, scope, out);
    default:
      break;
  }
  // The counter sets that utilization control chose are deprecated: drivers do not answer for them any more.
  const bool counter_set =
      link_of(id, {FI_DEV_NVLINK_BANDWIDTH_C0_L0, FI_DEV_NVLINK_BANDWIDTH_C0_L6, FI_DEV_NVLINK_BANDWIDTH_C0_TOTAL}) ||
      link_of(id, {FI_DEV_NVLINK_BANDWIDTH_C1_L0, FI_DEV_NVLINK_BANDWIDTH_C1_L6, FI_DEV_NVLINK_BANDWIDTH_C1_TOTAL});
  return counter_set ? NVML_ERROR_NOT_SUPPORTED : nvlink5(gpu, now, id, scope, out);
}

}  // namespace nvmlkit::driver
