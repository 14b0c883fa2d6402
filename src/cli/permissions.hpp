// --owner, --group, --mode: who may open a state file.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cli {

class PermissionOptions {
 public:
  void declare(Arguments& arguments);

  bool given() const { return !owner_.empty() || !group_.empty() || !mode_.empty(); }
  // Refuses a user or a group that is not known, and a mode of another form.
  sim::state::Permissions permissions() const;

 private:
  std::string owner_, group_, mode_;
};

}  // namespace nvmlkit::cli
