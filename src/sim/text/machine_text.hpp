// The writer of machine files: all of them come from here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::text {

// Values in flow style by the paths of their fields: {"power.limit_mw", "300000"}, {"processes", "[]"}. "N/A": absent.
using Values = std::map<std::string, std::string>;

struct MachineText {
  std::string comment;  // the first line, without the #; empty: no comment
  std::string base;     // empty: no base
  Values host;          // paths from the top of a machine file
  std::vector<Values> gpus;
};

// The machine file, in the order of the registry. Values that all GPUs share are under device_defaults, except for the
// identity of a GPU.
std::string yaml_of(MachineText machine);

// The values of a struct of the model. Absent values are N/A where the reader would otherwise put a value; other
// absent values are left out.
Values values_of(const model::Machine& host);
Values values_of(const model::Gpu& gpu);

}  // namespace nvmlkit::sim::text
