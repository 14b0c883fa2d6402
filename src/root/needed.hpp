// The files that a program needs to start: its dynamic loader and shared libraries.
#pragma once

#include <filesystem>
#include <vector>

#include "root/tree.hpp"

namespace nvmlkit::root {

// Those of this host, and what they need in turn. A file that is no ELF file needs nothing. Throws
// std::filesystem::filesystem_error where a library is missing.
std::vector<std::filesystem::path> needed_by(const std::vector<std::filesystem::path>& files);

// Copies them to where they are on this host, in a tree whose bin and lib are links below usr. What is in the tree
// already stays.
void add_needed(Tree& tree, const std::vector<std::filesystem::path>& files);

}  // namespace nvmlkit::root
