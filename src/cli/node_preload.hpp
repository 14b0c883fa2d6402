// The driver's files at their fixed paths without a mount namespace: a library that is loaded before all others leads
// the program to a folder. Static programs, those of Go and those that run as another user do not load it.
#pragma once

#include <filesystem>

#include "root/tree.hpp"

namespace nvmlkit::cli {

// The library, beside the driver's. Throws CommandError where there is none.
std::filesystem::path node_library();

// Makes `folder`, which is not there yet, with the files of the tree and links to those of the host beside them.
void make_node_view(const root::Tree& files, const std::filesystem::path& folder);

// Lets programs that this process becomes see `folder`, which is a path without links.
void show_node_view(const std::filesystem::path& library, const std::filesystem::path& folder);

}  // namespace nvmlkit::cli
