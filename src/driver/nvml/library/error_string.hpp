// The text of a return code, as drivers give it.
#pragma once

namespace nvmlkit::driver {

const char* error_string(int code);

}  // namespace nvmlkit::driver
