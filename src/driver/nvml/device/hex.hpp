// UUIDs as text and as bytes.
#pragma once

#include <string_view>

namespace nvmlkit::driver {

// Reads the 32 hexadecimal digits of "[GPU-]xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; false, and the bytes unspecified,
// when there are more, fewer or other characters.
bool parse_uuid_bytes(std::string_view text, unsigned char (&bytes)[16]);

}  // namespace nvmlkit::driver
