// How a file of a tree is made, in a folder where it is not there yet.
#pragma once

#include <filesystem>
#include <string>

#include "root/tree.hpp"

namespace nvmlkit::node {

// Makes the file `name` of the open folder. A reader may see half of it: Folder makes it elsewhere and moves it to its
// place. Throws std::system_error, of which std::filesystem::filesystem_error names another file.
void make(const root::Entry& entry, int folder, const std::string& name);

// Makes every file, in a folder without them. Throws std::filesystem::filesystem_error.
void make(const root::Tree& tree, const std::filesystem::path& folder);

}  // namespace nvmlkit::node
