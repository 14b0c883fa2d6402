// What a folder lacks of a tree, and what it has too much.
#pragma once

#include <string>
#include <vector>

#include "root/tree.hpp"

namespace nvmlkit::node {

// Paths below the root, in the order in which they are to be made and removed.
struct Difference {
  std::vector<std::string> put;    // files and nodes; then links to them; then the specifications that name them
  std::vector<std::string> erase;  // links; then files and nodes
};

Difference compare(const root::Tree& wanted, const root::Tree& there);

}  // namespace nvmlkit::node
