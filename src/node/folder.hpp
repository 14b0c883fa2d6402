// The folder of a root. Every change of it is one rename or one removal: a reader sees a file whole, as it was or as it
// is now, and so does the program that comes after one that was killed.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "node/descent.hpp"
#include "node/descriptor.hpp"
#include "root/tree.hpp"

namespace nvmlkit::node {

// Where files are made before they are moved to their places.
inline constexpr const char* kStaging = ".nvmlkit-staging";

// Functions throw std::filesystem::filesystem_error.
class Folder {
 public:
  // Makes the folder where there is none, and keeps other programs of this kind from it: is_mine() is false where one
  // has it. A killed program frees it.
  explicit Folder(std::filesystem::path root);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  bool is_mine() const { return mine_; }
  const std::filesystem::path& path() const { return root_; }
  // A place for a file that is to be moved.
  std::filesystem::path staged() const { return root_ / kStaging / kNew; }

  // What lies below the named parts of the folder, without what lies below `others`. An entry of `like` that is there
  // like this comes back as it is, any other file as something that equals no entry.
  root::Tree read(const std::set<std::string>& parts, const std::set<std::string>& others,
                  const root::Tree& like) const;

  // Makes the file or replaces it. What stands in the way is removed.
  void put(const std::string& path, const root::Entry& entry) const;
  // The same for files of the tree, in this order. A folder that is not there appears with all those files that follow
  // one another and belong into it. Calls `made` for each file that is there then. Returns what went wrong with others.
  std::vector<std::filesystem::filesystem_error> put(const std::vector<std::string>& paths, const root::Tree& tree,
                                                     const std::function<void(const std::string&)>& made) const;
  // Moves what was made at staged() there.
  void move(const std::string& path) const;
  // Removes the file, and the folders that are empty then.
  void erase(const std::string& path) const;

 private:
  static constexpr const char* kNew = "new";

  void put_one(Descent& descent, const std::string& path, const root::Entry& entry) const;
  void put_folder(Descent& descent, const std::string& path, const std::vector<std::string>& files,
                  const root::Tree& tree, const std::function<void(const std::string&)>& made,
                  std::vector<std::filesystem::filesystem_error>& problems) const;
  void move_staged(Descent& descent, const std::string& path) const;

  std::filesystem::path root_;
  Descriptor top_, staging_;
  bool mine_ = false;
};

}  // namespace nvmlkit::node
