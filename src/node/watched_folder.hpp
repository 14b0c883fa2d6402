// A folder of files that people change: in place, or as Kubernetes does with a mounted ConfigMap, whose files are links
// into `..data`, a link that is replaced at once.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "node/descriptor.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::node {

class WatchedFolder {
 public:
  // Throws std::filesystem::filesystem_error where there is no such folder, and std::system_error.
  explicit WatchedFolder(std::filesystem::path folder);

  // Readable once something in the folder may have changed.
  int descriptor() const { return events_.number(); }
  // Has anything changed since the last call? A file that was made but not yet written does not count.
  bool take_changes();
  // Watches the folder of this name again, which may be another one.
  void watch();

  // The files that end with .yaml or .yml, by name; hidden ones are left out. A file that is gone meanwhile is left
  // out, one that cannot be read is a problem.
  std::map<std::string, sim::Expected<std::string>> read() const;

 private:
  bool counts(unsigned int what, const std::string& name) const;

  std::filesystem::path folder_;
  Descriptor events_;
  int watch_ = -1;
};

}  // namespace nvmlkit::node
