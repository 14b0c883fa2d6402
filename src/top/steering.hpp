// What the view needs of a machine that can be steered. The view itself knows no simulation.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::top {

class Steering {
 public:
  virtual ~Steering() = default;

  // Does what the words say, as `load gpu=0 80%`, `fault gpu=0 xid 79`, `heal gpu=0`. Returns what is wrong, in one
  // line; empty when it is done.
  virtual std::string steer(const std::vector<std::string>& words) = 0;
  // Faults to choose from: the words behind `fault gpu=0`.
  virtual std::vector<std::string> faults() const = 0;
};

}  // namespace nvmlkit::top
