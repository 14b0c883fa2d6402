#include "kernel_log/record.hpp"

#include <cstdio>
#include <string_view>

namespace nvmlkit::kernel_log {
namespace {

std::uint32_t priority(const Record& record) { return static_cast<std::uint32_t>(record.level); }

// The kernel escapes what is no printable ASCII, and the escape itself.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '\\') {
      out += c;
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    out += code;
  }
  return out;
}

std::string dmesg_line(const Record& record) {
  char time[40];
  const int width =
      std::snprintf(time, sizeof time, "[%5llu.%06llu] ", static_cast<unsigned long long>(record.uptime_us / 1'000'000),
                    static_cast<unsigned long long>(record.uptime_us % 1'000'000));
  std::string out = time;
  for (const char c : record.text) {
    out += c;
    if (c == '\n') out.append(static_cast<std::size_t>(width), ' ');
  }
  return out;
}

// journald takes such a word for the name of the program, unless the kernel itself wrote the message.
std::string_view program_name(std::string_view text) {
  const auto end = text.find(' ');
  return end != text.npos && end > 0 && text[end - 1] == ':' ? text.substr(0, end + 1) : std::string_view();
}

}  // namespace

std::string print(const Record& record, Format format) {
  switch (format) {
    case Format::kmsg:
      return std::to_string(priority(record)) + ',' + std::to_string(record.sequence) + ',' +
             std::to_string(record.uptime_us) + ",-;" + escaped(record.text) + '\n';
    case Format::kmsg_write:
      return '<' + std::to_string(priority(record)) + '>' + record.text + '\n';
    case Format::journald:
      return '<' + std::to_string(priority(record)) + '>' + std::string(program_name(record.text)) + record.text + '\n';
    default:
      return dmesg_line(record) + '\n';
  }
}

}  // namespace nvmlkit::kernel_log
