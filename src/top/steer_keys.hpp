// Keys that steer a simulated machine. `desk.steering` is not null here.
#pragma once

#include "top/keys.hpp"

namespace nvmlkit::top {

Action press_to_steer(char key, Desk& desk);
Action press_in_faults(const Input& input, Desk& desk);
Action answer_to_steer(Question question, Desk& desk);

}  // namespace nvmlkit::top
