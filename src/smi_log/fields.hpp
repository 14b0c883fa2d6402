// The table from lines of nvidia-smi to fields of a machine. Both formats share it.
#pragma once

#include <span>
#include <string_view>

#include "smi_log/units.hpp"

namespace nvmlkit::smi_log {

struct Row {
  std::string_view text;   // path of the names in the text, below the GPU
  std::string_view xml;    // path of the tags in the XML
  std::string_view field;  // of the model; '/' at the front: of the host; empty: the model has none
  Unit unit = Unit::text;
};

// Several rows may have the same path: the value goes to each of their fields. Of several paths for one field the first
// in the log counts.
std::span<const Row> gpu_rows();
std::span<const Row> host_rows();

}  // namespace nvmlkit::smi_log
