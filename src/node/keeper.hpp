// Keeps a folder as a tree says. The folder itself is the only memory of what was made: a keeper that was killed is
// followed by one that reads it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "node/folder.hpp"

namespace nvmlkit::node {

class Keeper {
 public:
  // `fixed` is the part of the tree that never changes. Of the folder, the keeper owns the top-level names of both
  // parts and `parts`; it leaves alone what lies below `others`.
  Keeper(Folder& folder, root::Tree fixed, std::set<std::string> parts, std::set<std::string> others);

  // Makes the folder hold `fixed` and `moving`, and nothing else. `between` is called when everything wanted is there
  // and before anything is removed. Returns the files that could not be made or removed, which the next call tries
  // again.
  std::vector<std::filesystem::filesystem_error> keep(
      const root::Tree& moving, const std::function<void()>& between = [] {});

  // The next keep() looks at every file.
  void distrust() { there_.reset(); }

  // Removes everything that keep() makes.
  void remove();

 private:
  root::Tree read(const root::Tree& wanted) const;

  Folder& folder_;
  root::Tree fixed_;
  std::set<std::string> parts_, others_;
  std::optional<root::Tree> there_;  // without `fixed`; nothing: unknown
};

}  // namespace nvmlkit::node
