// The way down to the folder of a path. The folders of the last path stay open, so that the kernel looks up each name
// once for all files of a folder. No link is followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "node/descriptor.hpp"

namespace nvmlkit::node {

// `path`/name and its parts. The folder of a name alone is empty.
std::string_view folder_of(std::string_view path);
std::string name_of(std::string_view path);

// Paths are below the folder `top`, which stays open. Functions throw std::system_error.
class Descent {
 public:
  explicit Descent(int top) : top_(top) {}

  // The folder, or -1 where there is none.
  int find(std::string_view folder);
  // The folder, made with its parents where there is none. What stands in the way is removed.
  int make(std::string_view folder);
  // How much of the path is not there: the part that ends with the first missing folder. Empty: all of it is there.
  std::string_view missing(std::string_view folder);

 private:
  struct Step {
    std::string name;
    Descriptor folder;
  };

  // Opens what is there of the folder; returns how many characters that is.
  std::size_t descend(std::string_view folder);
  int here() const { return open_.empty() ? top_ : open_.back().folder.number(); }

  int top_;
  std::vector<Step> open_;
};

}  // namespace nvmlkit::node
