// A record of the kernel log, and its spellings.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlkit::kernel_log {

// Priorities as the kernel counts them. Messages of facility kern have the number of their level.
enum class Level : std::uint32_t { error = 3, warning = 4, info = 6 };

struct Record {
  std::uint64_t sequence;   // rises; a message that the driver of the machine does not write leaves a gap
  std::uint64_t uptime_us;  // when it was written, since the host was started
  Level level;
  std::string text;  // without a line end behind it; may consist of several lines
};

enum class Format {
  dmesg,       // [    5.140900] TEXT, further lines indented
  kmsg,        // PRIORITY,SEQUENCE,MICROSECONDS,-;TEXT, as a read of /dev/kmsg returns it
  kmsg_write,  // <PRIORITY>TEXT, as a write to /dev/kmsg takes it
  journald,    // the same; a first word with a colon behind it is there twice, because journald takes one away
};

// With a line end behind it.
std::string print(const Record& record, Format format);

}  // namespace nvmlkit::kernel_log
