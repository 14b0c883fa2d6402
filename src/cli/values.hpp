// Values of the machine that is up, shown and changed by their names in machine files.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::cli {

// `selector` is gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all; `path` a field or a group of fields. Returns the exit
// status.
int get_values(const std::string& state, const std::string& selector, const std::string& path, bool as_json);

// Each assignment is PATH=VALUE, the value as a machine file has it. All are done or, if one is wrong, none.
int set_values(const std::string& state, const std::string& selector, const std::vector<std::string>& assignments);

}  // namespace nvmlkit::cli
