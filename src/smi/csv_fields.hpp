// The fields of --query-gpu as data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "smi/gpu.hpp"
#include "smi/version.hpp"

namespace nvmlkit::smi {

struct CsvField {
  std::string_view name;
  std::string_view other_name = {};  // means the same; the heading has the first name
  std::string_view unit = {};        // "MiB": in the heading, and behind the value
  // Where -q -x shows the value: "fb_memory_usage/total".
  std::string_view element = {};
  std::string (*value)(const Gpu&) = nullptr;  // of a field that -q -x does not show
  Versions versions = kAlways;
  bool plain = false;  // without brackets around N/A
};

std::span<const CsvField> csv_power_fields();

// The field of that name in a version; null if there is none.
const CsvField* find_csv_field(std::string_view name, Version version);

}  // namespace nvmlkit::smi
