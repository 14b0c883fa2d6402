// The text of a return code, in the words of the drivers.
#pragma once

namespace nvmlkit::driver {

const char* error_string(int code);

}  // namespace nvmlkit::driver
