// Machine files from what nvidia-smi printed.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::cli {

// "-" as a file is standard input; an empty `output` is standard output. Returns the exit status.
int import_files(const std::vector<std::string>& files, const std::string& output, bool verbose);

}  // namespace nvmlkit::cli
