#include "recording/read.hpp"

#include "recording/gunzip.hpp"
#include "recording/kernel_lines.hpp"
#include "recording/lines.hpp"
#include "smi_log/text.hpp"

namespace nvmlkit::recording {
namespace {

constexpr const char* kFormats =
    "expected JSON or text of Prometheus, dcgmi dmon, nvidia-smi dmon, nvidia-smi --query-gpu=... --format=csv, a "
    "kernel log with Xids, or an archive of nvidia-bug-report.sh";

bool is_query_heading(std::string_view line) {
  std::size_t known = 0;
  for (const auto cell : cells_of(line)) {
    const auto name = trimmed(cell.substr(0, cell.find('[')));
    known += find_name(query_fields(), name) != nullptr ? 1U : 0U;
  }
  return known > 0;
}

bool is_series(std::string_view line) {
  const auto brace = line.find('{');
  return line.starts_with("DCGM_FI_") || line.starts_with("nvidia_smi_") || line.starts_with("{__name__=") ||
         (brace != std::string_view::npos && line.find("=\"", brace) != std::string_view::npos &&
          line.find("} ", brace) != std::string_view::npos);
}

std::optional<Format> format_of_line(std::string_view line) {
  if (line.starts_with("#Entity") || line.starts_with("# Entity")) return Format::dcgm_monitor;
  if (line.starts_with("# HELP") || line.starts_with("# TYPE") || is_series(line)) return Format::prometheus_text;
  if (line.starts_with('#') && line.find("gpu") != std::string_view::npos) return Format::smi_monitor;
  return is_query_heading(line) ? std::optional(Format::smi_query) : std::nullopt;
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::prometheus_json:
      return "an answer of Prometheus";
    case Format::prometheus_text:
      return "text of Prometheus";
    case Format::dcgm_monitor:
      return "dcgmi dmon";
    case Format::smi_monitor:
      return "nvidia-smi dmon";
    case Format::smi_query:
      return "nvidia-smi --query-gpu";
    case Format::kernel_log:
      return "a kernel log";
    case Format::bug_report:
      break;
  }
  return "a bug report";
}

Expected<Format> format_of(const std::string& file, std::string_view text) {
  const auto start = trimmed(text.substr(0, 256));
  if (start.starts_with('[') || start.starts_with('{')) {
    const auto second = trimmed(start.substr(1));
    if (second.starts_with('"') || second.starts_with('{') || second.starts_with('}') || second.starts_with(']'))
      return Format::prometheus_json;
  }
  bool xid = false;
  std::size_t looked = 0;
  LineReader reader(text);
  for (TextLine line; reader.next(line);) {
    const auto trimmed_line = trimmed(line.text);
    // Formats with a heading have it among their first lines.
    if (looked < 20 && !trimmed_line.empty()) {
      ++looked;
      if (const auto format = format_of_line(trimmed_line)) return *format;
    }
    if (smi_log::starts_text_log(trimmed_line)) return Format::bug_report;
    xid |= names_xid(line.text);
  }
  if (xid) return Format::kernel_log;
  return refuse_at({file, 1}, kFormats, "see docs/guides/replay.md for the commands that record");
}

Expected<Format> read(const std::string& file, std::string_view text, const ReadOptions& options, Recording& out) {
  if (is_gzip(text)) {
    const auto unpacked = gunzip(file, text, options.most_text);
    if (!unpacked) return sim::fail(unpacked.error());
    if (is_gzip(*unpacked)) return refuse_at({file}, "compressed twice", "unpack it with gzip -d");
    return read(file, *unpacked, options, out);
  }
  const auto format = format_of(file, text);
  if (!format) return format;
  Recording part;
  const auto done = [&]() -> Expected<void> {
    switch (*format) {
      case Format::prometheus_json:
        return read_prometheus_json(file, text, part);
      case Format::prometheus_text:
        return read_prometheus_text(file, text, options, part);
      case Format::dcgm_monitor:
        return read_dcgm_monitor(file, text, options, part);
      case Format::smi_monitor:
        return read_smi_monitor(file, text, options, part);
      case Format::smi_query:
        return read_smi_query(file, text, options, part);
      case Format::kernel_log:
        return read_kernel_log(file, text, part);
      case Format::bug_report:
        break;
    }
    return read_bug_report(file, text, part);
  }();
  if (!done) return sim::fail(done.error());
  if (part.empty())
    return refuse_at({file}, std::string(name_of(*format)) + " without a value of a GPU that a machine can replay",
                     "see the list of names in docs/guides/replay.md");
  merge(std::move(part), out);
  return format;
}

}  // namespace nvmlkit::recording
