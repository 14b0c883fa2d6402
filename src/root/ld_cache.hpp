// The cache of the dynamic loader, /etc/ld.so.cache: the libraries of a root by name. NVIDIA's container tools look up
// the libraries of a driver root in it.
#pragma once

#include "root/tree.hpp"

namespace nvmlkit::root {

// With the libraries that are in the tree, in the folders where loaders look.
void add_ld_cache(Tree& tree);

}  // namespace nvmlkit::root
