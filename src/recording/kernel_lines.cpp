#include "recording/kernel_lines.hpp"

#include <cmath>

#include "recording/read.hpp"
#include "recording/times.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::recording {
namespace {

constexpr std::string_view kXid = "NVRM: Xid (", kGpuAt = "NVRM: GPU at ", kSxid = ": SXid (";

// The PCI address of "PCI:0000:3b:00" or "0000:3b:00"; empty for another text.
std::string address_before(std::string_view text, char end) {
  if (text.starts_with("PCI:")) text.remove_prefix(4);
  const auto last = text.find(end);
  if (last == std::string_view::npos) return {};
  const std::string out(text.substr(0, last));
  return sim::model::parse_pci_bus_id(out) ? out : std::string();
}

// [  123.456789] and 6,1234,123456789,-; count from the start of the host.
std::optional<std::int64_t> uptime_of(std::string_view line) {
  std::string_view rest;
  if (line.starts_with('[')) {
    const auto seconds = sim::text::number_before<double>(trimmed(line.substr(1)), rest);
    if (seconds && rest.starts_with(']') && *seconds >= 0 && *seconds < 1e10) return std::llround(*seconds * 1000);
    return {};
  }
  if (!sim::text::number_before<std::uint32_t>(line, rest) || !rest.starts_with(',')) return {};
  if (!sim::text::number_before<std::uint64_t>(rest.substr(1), rest) || !rest.starts_with(',')) return {};
  const auto us = sim::text::number_before<std::uint64_t>(rest.substr(1), rest);
  if (!us || !rest.starts_with(',') || *us > std::uint64_t{1} << 60) return {};
  return static_cast<std::int64_t>(*us / 1000);
}

}  // namespace

bool names_xid(std::string_view line) { return line.find(kXid) != std::string_view::npos; }

std::int64_t KernelLines::time_of_line(std::string_view line) {
  const auto text = trimmed(line);
  std::string_view rest;
  std::optional<std::int64_t> at = time_before(text.starts_with('[') ? text.substr(1) : text, rest);
  if (at)
    out_.dated = true;
  else if (!(at = uptime_of(text)))
    at = syslog_time_before(text, rest);
  return last_ms_ = at.value_or(last_ms_);
}

void KernelLines::take(std::string_view line) {
  if (line.find("SXid (") != std::string_view::npos && line.find(kSxid) != std::string_view::npos)
    ++out_.not_replayed["SXid of an NVSwitch"];
  if (const auto at = line.find(kGpuAt); at != std::string_view::npos) {
    GpuName name;
    const auto rest = line.substr(at + kGpuAt.size());
    const auto uuid = rest.find("GPU-");
    name.bus_id = uuid == std::string_view::npos ? std::string() : address_before(rest.substr(0, uuid), ' ');
    if (name.bus_id.empty() && uuid != std::string_view::npos && uuid > 2)
      name.bus_id = address_before(std::string(rest.substr(0, uuid - 2)) + ')', ')');
    if (uuid != std::string_view::npos) name.uuid = std::string(rest.substr(uuid, 40));
    if (!name.bus_id.empty()) out_.gpu_of(name);
    return;
  }
  const auto at = line.find(kXid);
  if (at == std::string_view::npos) return;
  const auto rest = line.substr(at + kXid.size());
  GpuName name;
  name.bus_id = address_before(rest, ')');
  const auto colon = rest.find("): ");
  if (name.bus_id.empty() || colon == std::string_view::npos) return;
  std::string_view behind;
  const auto number = sim::text::number_before<std::uint32_t>(rest.substr(colon + 3), behind);
  if (!number || *number == 0) return;
  const auto when = time_of_line(line);
  out_.xids.push_back({when, out_.gpu_of(name), *number});
}

Expected<void> read_kernel_log(const std::string&, std::string_view text, Recording& out) {
  KernelLines lines(out);
  LineReader reader(text);
  for (TextLine line; reader.next(line);) lines.take(line.text);
  return {};
}

}  // namespace nvmlkit::recording
