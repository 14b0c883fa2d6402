#include "smi/log/log.hpp"

#include <fmt/format.h>

#include <iterator>

#include "smi/log/row.hpp"
#include "smi/log/time.hpp"

namespace nvmlkit::smi {
namespace {

constexpr Version kNewHeader{610, 0}, kSchema13{580, 0};

template <class... Arguments>
void print(fmt::memory_buffer& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

void add_header_line(const Host& host, const char* label, const std::string& value, fmt::memory_buffer& out) {
  print(out, "{:<{}}: {}\n", label, value_column(host.version), value);
}

std::string ending(const char* name) {
  return fmt::format(" [Deprecated; will be removed in CUDA 14.0. Use {} instead]", name);
}

void add_log_versions(const Host& host, fmt::memory_buffer& out) {
  const bool renamed = host.version >= kNewHeader;
  add_header_line(host, "Driver Version", host.driver_version + (renamed ? ending("KMD Version") : ""), out);
  add_header_line(host, "CUDA Version", host.cuda_version + (renamed ? ending("CUDA UMD Version") : ""), out);
  if (!renamed) return;
  add_header_line(host, "KMD Version", host.driver_version, out);
  add_header_line(host, "CUDA UMD Version", host.cuda_version, out);
}

void add_version_elements(const Host& host, fmt::memory_buffer& out) {
  const bool renamed = host.version >= kNewHeader;
  const auto add = [&](const char* element, const std::string& value, const char* successor) {
    print(out, "\t<{0}>{1}</{0}>\n", element, value);
    if (renamed && successor)
      print(out, "\t<!-- {} is deprecated and will be removed in CUDA 14.0; use {} instead -->\n", element, successor);
  };
  add("driver_version", host.driver_version, "kmd_version");
  add("cuda_version", host.cuda_version, "cuda_umd_version");
  if (!renamed) return;
  add("kmd_version", host.driver_version, nullptr);
  add("cuda_umd_version", host.cuda_version, nullptr);
}

void add_rows(const Gpu& gpu, std::span<const Row> rows, Sections wanted, Lines& lines) {
  unsigned hidden_below = ~0u;  // the depth of a heading that is not shown
  for (const auto& row : rows) {
    if (row.depth > hidden_below) continue;
    hidden_below = ~0u;
    const bool shown = (row.depth > 1 || row.sections.any(wanted)) && row.versions.has(gpu.version()) &&
                       (!row.shown || row.shown(gpu));
    if (!shown) {
      if (!row.value) hidden_below = row.depth;
      continue;
    }
    if (row.lines) {
      row.lines(gpu, lines);
      continue;
    }
    lines.push_back({.depth = row.depth,
                     .label = std::string(row.label),
                     .element = std::string(row.element),
                     .value = row.value ? std::optional(row.value(gpu)) : std::nullopt,
                     .text_depth = row.text_depth});
  }
}

}  // namespace

Lines log_lines(const Gpu& gpu, Sections wanted) {
  Lines lines;
  for (const auto rows : {identity_rows(), mode_rows(), pci_rows(), memory_rows(), utilization_rows(), ecc_rows(),
                          repair_rows(), thermal_rows(), power_rows(), clock_rows(), fabric_rows()})
    add_rows(gpu, rows, wanted, lines);
  if (wanted.any(Section::kWholeXml)) add_rows(gpu, supported_clock_rows(), wanted, lines);
  add_rows(gpu, process_rows(), wanted, lines);
  return lines;
}

std::string text_log(const Host& host, const std::vector<Gpu>& gpus, unsigned attached, Sections wanted) {
  fmt::memory_buffer out;
  print(out, "\n==============NVSMI LOG==============\n\n");
  add_header_line(host, "Timestamp", long_time(now_seconds()), out);
  add_log_versions(host, out);
  print(out, "\n");
  add_header_line(host, "Attached GPUs", std::to_string(attached), out);
  for (const auto& gpu : gpus) {
    print(out, "GPU {}\n", gpu.bus_id());
    auto lines = log_lines(gpu, wanted);
    for (auto& line : lines) ++line.depth;
    append_text(lines, host.version, out);
    print(out, "\n");
  }
  return fmt::to_string(out);
}

std::string xml_log(const Host& host, const std::vector<Gpu>& gpus, unsigned attached) {
  fmt::memory_buffer out;
  print(out,
        "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v{}.dtd\">\n<nvidia_smi_log>\n"
        "\t<timestamp>{}</timestamp>\n",
        host.version < kSchema13 ? 12 : 13, long_time(now_seconds()));
  add_version_elements(host, out);
  print(out, "\t<attached_gpus>{}</attached_gpus>\n", attached);
  for (const auto& gpu : gpus) {
    print(out, "\t<gpu id=\"{}\">\n", gpu.bus_id());
    auto lines = log_lines(gpu, Section::kWholeXml);
    for (auto& line : lines) ++line.depth;
    append_xml(lines, out);
    print(out, "\t</gpu>\n\n");
  }
  print(out, "</nvidia_smi_log>\n");
  return fmt::to_string(out);
}

}  // namespace nvmlkit::smi
