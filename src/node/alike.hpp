// Whether a file is as a tree demands it.
#pragma once

#include <string>

#include "root/tree.hpp"

namespace nvmlkit::node {

// Is the file `name` of the open folder there, and like the entry?
bool is_alike(const root::Entry& entry, int folder, const std::string& name);

// Is it a file without content, of this mode?
bool is_empty_file(int folder, const std::string& name, unsigned int mode);

}  // namespace nvmlkit::node
