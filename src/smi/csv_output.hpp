// What all queries of values as CSV share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smi/csv_fields.hpp"
#include "smi/options.hpp"
#include "smi/select.hpp"

namespace nvmlkit::smi {

struct CsvFormat {
  bool header = true, units = true;
};

std::optional<CsvFormat> parse_csv_format(const std::string& text);

// The value of a field, with what the driver refuses in brackets.
std::string csv_text(const Gpu& gpu, const CsvField& field, const CsvFormat& format);
// "memory.total [MiB]".
std::string csv_heading(std::string_view name, std::string_view unit, const CsvFormat& format);
std::string csv_line(const std::vector<std::string>& values);

// What all queries refuse: a format that is missing or wrong.
std::optional<Output> refuse_csv_format(const Options& options);
Output unknown_csv_field(const std::string& name);

}  // namespace nvmlkit::smi
