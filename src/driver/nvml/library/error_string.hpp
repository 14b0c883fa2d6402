// The text of a return code, in the words of the drivers.
#pragma once

namespace nvmlkit::driver {

// In the words of a driver branch; 0 is the newest.
const char* error_string(int code, unsigned int branch);

}  // namespace nvmlkit::driver
