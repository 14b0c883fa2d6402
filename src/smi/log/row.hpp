// The description of the log as data: one row is one line of `-q` and one element of `-q -x`.
#pragma once

#include <span>

#include "smi/gpu.hpp"
#include "smi/log/lines.hpp"
#include "smi/log/sections.hpp"

namespace nvmlkit::smi {

using Read = std::string (*)(const Gpu&);
using Shown = bool (*)(const Gpu&);
using Expand = void (*)(const Gpu&, Lines&);

struct Row {
  unsigned depth;
  std::string_view label;    // empty: not in the text
  std::string_view element;  // empty: not in the XML
  Read value = nullptr;      // null: a heading
  Versions versions = kAlways;
  Shown shown = nullptr;  // null: always. The deeper rows of a heading that is not shown are not shown either
  Sections sections = Section::kLog;  // of depth 1; deeper rows are where their heading is
  unsigned text_depth = 0;
  Expand lines = nullptr;  // in place of the row: as many lines as there are processes, clocks, MIG devices
};

std::span<const Row> identity_rows();
std::span<const Row> mode_rows();
std::span<const Row> pci_rows();
std::span<const Row> memory_rows();
std::span<const Row> utilization_rows();
std::span<const Row> ecc_rows();
std::span<const Row> repair_rows();
std::span<const Row> thermal_rows();
std::span<const Row> power_rows();
std::span<const Row> clock_rows();
std::span<const Row> fabric_rows();
std::span<const Row> supported_clock_rows();
std::span<const Row> process_rows();

// The lines of a GPU, of all rows in their order.
Lines log_lines(const Gpu& gpu, Sections wanted);

}  // namespace nvmlkit::smi
