#include "driver/nvml/events/cper.hpp"

#include <cstddef>
#include <cstring>

#include "driver/nvml/device/hex.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/xids.hpp"

namespace nvmlkit::driver::cper {
namespace {

enum Severity : std::uint32_t { recoverable = 0, fatal = 1, corrected = 2, informational = 3 };
constexpr std::uint32_t kSimulated = 1U << 2;  // a flag of the record

// Of NVIDIA's section, and of errors that come by no other way.
constexpr unsigned char kNvidiaSection[16] = {0xf2, 0x44, 0x52, 0x6d, 0x12, 0x27, 0xec, 0x11,
                                              0xbe, 0xa7, 0xcb, 0x3f, 0xdb, 0x95, 0xc7, 0x86};
constexpr unsigned char kGenericNotification[16] = {0x41, 0x58, 0x49, 0x3e, 0x1a, 0xfa, 0x8b, 0x4d,
                                                    0x96, 0x85, 0xa9, 0x88, 0x83, 0xa3, 0x04, 0x8e};

std::uint32_t severity_of(std::uint64_t xid) {
  for (const auto& known : sim::faults::xids) {
    if (known.number != xid) continue;
    if (known.effect == sim::faults::XidEffect::lost) return fatal;
    return known.effect == sim::faults::XidEffect::none ? informational : recoverable;
  }
  return informational;
}

void write(const sim::model::Gpu& gpu, std::uint64_t number, std::uint64_t xid, Record& out) {
  const auto severity = severity_of(xid);
  out = {};
  std::memcpy(out.signature, "CPER", sizeof out.signature);
  out.revision = 0x0101;
  out.signature_end = 0xFFFFFFFF;
  out.section_count = 1;
  out.severity = severity;
  out.length = sizeof out;
  std::memcpy(out.notification_type, kGenericNotification, sizeof out.notification_type);
  out.record_id = number;
  out.flags = kSimulated;
  out.section_offset = offsetof(Record, source);
  out.section_length = sizeof out - offsetof(Record, source);
  out.section_revision = 0x0100;
  out.section_valid = 1;  // the FRU id
  std::memcpy(out.section_type, kNvidiaSection, sizeof out.section_type);
  if (gpu.uuid) parse_uuid_bytes(gpu.uuid->view(), out.fru_id);
  out.section_severity = severity;
  std::memcpy(out.source, "GPU-XID", 7);
  out.error_type = static_cast<std::uint16_t>(xid);
  out.error_severity = static_cast<std::uint8_t>(severity);
  out.register_count = 2;
  out.registers[0][1] = xid;
  out.registers[1][0] = 1;
  if (const auto& id = gpu.pci.bus_id)
    out.registers[1][1] = std::uint64_t{id->domain} << 32 | id->bus << 16 | id->device << 8 | id->function;
}

}  // namespace

bool next_record(const sim::Machine& machine, std::uint64_t& at, std::string_view uuid, Record& out) {
  sim::events::Published event{};
  while (sim::events::take(machine.events(), at, event)) {
    if (event.event.type != static_cast<std::uint64_t>(abi::EventTypeXidCriticalError)) continue;
    if (event.gpu >= machine.gpus().size()) continue;
    const auto& gpu = machine.gpus()[event.gpu];
    if (!uuid.empty() && (!gpu.uuid || gpu.uuid->view() != uuid)) continue;
    write(gpu, at, event.event.data, out);
    return true;
  }
  return false;
}

}  // namespace nvmlkit::driver::cper
