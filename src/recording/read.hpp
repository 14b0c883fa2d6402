// The readers of recordings, and how a text shows which of them it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

struct ReadOptions {
  std::int64_t interval_ms = 1000;               // between samples whose tool prints no time
  std::size_t most_text = std::size_t{1} << 30;  // of a compressed text
};

enum class Format : std::uint8_t {
  prometheus_json,  // the answer to a query of Prometheus
  prometheus_text,  // the text format, OpenMetrics, or what promtool tsdb dump prints
  dcgm_monitor,     // dcgmi dmon
  smi_monitor,      // nvidia-smi dmon
  smi_query,        // nvidia-smi --query-gpu=... --format=csv
  kernel_log,
  bug_report,  // any text with outputs of nvidia-smi -q and lines of the kernel log
};

// What messages call it.
std::string_view name_of(Format format);

// Which of them a text is; a problem if it is none.
Expected<Format> format_of(const std::string& file, std::string_view text);

// Adds what the text has. A text that is compressed by gzip is read as what is in it. A problem if it has neither a
// sample nor an Xid.
Expected<Format> read(const std::string& file, std::string_view text, const ReadOptions& options, Recording& out);

// One reader each.
Expected<void> read_prometheus_json(const std::string& file, std::string_view text, Recording& out);
Expected<void> read_prometheus_text(const std::string& file, std::string_view text, const ReadOptions& options,
                                    Recording& out);
Expected<void> read_dcgm_monitor(const std::string& file, std::string_view text, const ReadOptions& options,
                                 Recording& out);
Expected<void> read_smi_monitor(const std::string& file, std::string_view text, const ReadOptions& options,
                                Recording& out);
Expected<void> read_smi_query(const std::string& file, std::string_view text, const ReadOptions& options,
                              Recording& out);
Expected<void> read_kernel_log(const std::string& file, std::string_view text, Recording& out);
Expected<void> read_bug_report(const std::string& file, std::string_view text, Recording& out);

}  // namespace nvmlkit::recording
