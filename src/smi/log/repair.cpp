// What was taken out of use after errors: pages, rows of memory, banks.
#include "smi/log/row.hpp"
#include "smi/log/time.hpp"
#include "smi/log/values.hpp"

namespace nvmlkit::smi {
namespace {

using nvml::BankRemapperStatus;
using nvml::Device;
using nvml::PageRetirementCause;
using nvml::RemappedRows;
using nvml::RowRemapperHistogram;

constexpr auto kSingle = PageRetirementCause::multiple_single_bit_ecc_errors;
constexpr auto kDouble = PageRetirementCause::double_bit_ecc_error;

template <PageRetirementCause cause>
std::string page_count(const Gpu& gpu) {
  const auto pages = gpu->retired_pages(cause);
  return pages ? std::to_string(pages->size()) : gpu.failure(pages.error());
}

template <PageRetirementCause cause>
void page_list(const Gpu& gpu, Lines& lines) {
  const auto pages = gpu->retired_pages(cause);
  if (!pages) return lines.push_back({.depth = 3, .element = "retired_pagelist", .value = gpu.failure(pages.error())});
  lines.push_back({.depth = 3, .element = "retired_pagelist"});
  for (const auto& page : *pages) {
    lines.push_back({.depth = 4, .element = "retired_page"});
    lines.push_back({.depth = 5, .element = "retired_page_address", .value = fmt::format("{:#018x}", page.address)});
    lines.push_back({.depth = 5,
                     .element = "retired_page_timestamp",
                     .value = page.time.count() != 0 ? long_time(page.time.count()) : std::string("N/A")});
  }
}

template <unsigned RowRemapperHistogram::*member>
std::string banks(const Gpu& gpu) {
  return shown_as<&Gpu::histogram, member>(gpu, [](unsigned count) { return fmt::format("{} bank(s)", count); });
}

template <unsigned nvml::BankRemapperHistogram::*member>
std::string groups(const Gpu& gpu) {
  return shown_as<&Gpu::remapped_banks, &BankRemapperStatus::histogram>(
      gpu, [](const nvml::BankRemapperHistogram& histogram) { return fmt::format("{} group(s)", histogram.*member); });
}

bool has_rows(const Gpu& gpu) { return gpu.remapped_rows().has_value(); }
bool has_no_rows(const Gpu& gpu) { return !has_rows(gpu); }
bool has_histogram(const Gpu& gpu) { return gpu.histogram().has_value(); }
bool has_no_histogram(const Gpu& gpu) { return !has_histogram(gpu); }
bool has_banks(const Gpu& gpu) { return gpu.remapped_banks().has_value(); }
bool has_no_banks(const Gpu& gpu) { return !has_banks(gpu); }
std::string rows_failure(const Gpu& gpu) { return gpu.failure(gpu.remapped_rows().error()); }
std::string histogram_failure(const Gpu& gpu) { return gpu.failure(gpu.histogram().error()); }
std::string banks_failure(const Gpu& gpu) { return gpu.failure(gpu.remapped_banks().error()); }

constexpr Sections kPages = Section::kLog | Section::kPageRetirement, kRemapper = Section::kLog | Section::kRowRemapper;
constexpr Versions kInactive = backported(580, 159, 595);

// clang-format off
constexpr Row kRepairRows[] = {
    {1, "Retired Pages", "retired_pages", nullptr, kAlways, nullptr, kPages},
    {2, "Single Bit ECC", "", page_count<kSingle>},
    {2, "Double Bit ECC", "", page_count<kDouble>},
    {2, "Pending Page Blacklist", "", yes_no<&Device::retired_pages_pending_status>},
    {2, "", "multiple_single_bit_retirement"},
    {3, "", "retired_count", page_count<kSingle>},
    {.depth = 3, .label = "", .element = "retired_pagelist", .lines = page_list<kSingle>},
    {2, "", "double_bit_retirement"},
    {3, "", "retired_count", page_count<kDouble>},
    {.depth = 3, .label = "", .element = "retired_pagelist", .lines = page_list<kDouble>},
    {2, "", "pending_blacklist", yes_no<&Device::retired_pages_pending_status>},
    {2, "", "pending_retirement", yes_no<&Device::retired_pages_pending_status>},
    {1, "Remapped Rows", "remapped_rows", rows_failure, kAlways, has_no_rows, kRemapper},
    {1, "Remapped Rows", "remapped_rows", nullptr, kAlways, has_rows, kRemapper},
    {2, "Correctable Error", "remapped_row_corr", show<&Gpu::remapped_rows, &RemappedRows::corr_active_remaps>},
    {2, "Inactive Correctable Error", "remapped_row_corr_inactive", show<&Gpu::remapped_rows, &RemappedRows::corr_inactive_remaps>, kInactive},
    {2, "Uncorrectable Error", "remapped_row_unc", show<&Gpu::remapped_rows, &RemappedRows::unc_active_remaps>},
    {2, "Inactive Uncorrectable Error", "remapped_row_unc_inactive", show<&Gpu::remapped_rows, &RemappedRows::unc_inactive_remaps>, kInactive},
    {2, "Pending", "remapped_row_pending", yes_no<&Gpu::remapped_rows, &RemappedRows::pending>},
    {2, "Remapping Failure Occurred", "remapped_row_failure", yes_no<&Gpu::remapped_rows, &RemappedRows::failure_occurred>},
    {2, "Bank Remap Availability Histogram", "row_remapper_histogram", histogram_failure, kAlways, has_no_histogram},
    {2, "Bank Remap Availability Histogram", "row_remapper_histogram", nullptr, kAlways, has_histogram},
    {3, "Max", "row_remapper_histogram_max", banks<&RowRemapperHistogram::max>},
    {3, "High", "row_remapper_histogram_high", banks<&RowRemapperHistogram::high>},
    {3, "Partial", "row_remapper_histogram_partial", banks<&RowRemapperHistogram::partial>},
    {3, "Low", "row_remapper_histogram_low", banks<&RowRemapperHistogram::low>},
    {3, "None", "row_remapper_histogram_none", banks<&RowRemapperHistogram::none>},
    {1, "Remapped Banks", "remapped_banks", banks_failure, from(615), has_no_banks, kRemapper},
    {1, "Remapped Banks", "remapped_banks", nullptr, from(615), has_banks, kRemapper},
    {2, "Active Remappings", "bank_remapper_active_remappings", show<&Gpu::remapped_banks, &BankRemapperStatus::active>},
    {2, "Inactive Remappings", "bank_remapper_inactive_remappings", show<&Gpu::remapped_banks, &BankRemapperStatus::inactive>},
    {2, "Pending", "bank_remapper_pending", yes_no<&Gpu::remapped_banks, &BankRemapperStatus::pending>},
    {2, "Bank Remapper Histogram", "bank_remapper_histogram"},
    {3, "Max", "bank_remapper_histogram_max", groups<&nvml::BankRemapperHistogram::max_spare>},
    {3, "None", "bank_remapper_histogram_none", groups<&nvml::BankRemapperHistogram::no_spare>},
};
// clang-format on

}  // namespace

std::span<const Row> repair_rows() { return kRepairRows; }

}  // namespace nvmlkit::smi
