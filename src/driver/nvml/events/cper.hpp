// Common Platform Error Records of Xids: UEFI's record header and one section in the layout that NVIDIA's platforms use
// and Linux documents. The header marks the record as a simulated error, in UEFI's terms.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/state/machine.hpp"

namespace nvmlkit::driver::cper {

#pragma pack(push, 1)
struct Record {
  // Record header
  char signature[4];
  std::uint16_t revision;
  std::uint32_t signature_end;
  std::uint16_t section_count;
  std::uint32_t severity, valid, length;
  std::uint64_t timestamp;
  unsigned char platform_id[16], partition_id[16], creator_id[16], notification_type[16];
  std::uint64_t record_id;
  std::uint32_t flags;
  std::uint64_t persistence;
  unsigned char reserved[12];
  // Section descriptor
  std::uint32_t section_offset, section_length;
  std::uint16_t section_revision;
  std::uint8_t section_valid, section_reserved;
  std::uint32_t section_flags;
  unsigned char section_type[16], fru_id[16];
  std::uint32_t section_severity;
  char fru_text[20];
  // Section
  char source[16];
  std::uint16_t error_type, error_instance;
  std::uint8_t error_severity, socket, register_count, section_padding;
  std::uint64_t instance_base;
  std::uint64_t registers[2][2];  // address and value: the Xid, the PCI address
};
#pragma pack(pop)
static_assert(sizeof(Record) == 128 + 72 + 64);

// The next record at or behind `at`, which moves behind it: of all GPUs, or of the one with that UUID. False when there
// is none.
bool next_record(const sim::Machine& machine, std::uint64_t& at, std::string_view uuid, Record& out);

}  // namespace nvmlkit::driver::cper
