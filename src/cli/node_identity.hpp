// Which node of a cluster this machine is, from options and the environment.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "scenario/node.hpp"

namespace nvmlkit::cli {

class NodeIdentityOptions {
 public:
  void declare(Arguments& arguments);
  // Known if an option or a variable names it; refuses a label of another form and a file that cannot be read.
  scenario::NodeIdentity identity() const;

 private:
  std::string name_, labels_file_;
  std::vector<std::string> labels_;
};

}  // namespace nvmlkit::cli
