// Bytes in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nvmlkit::serve {

// Nothing where the text is no base64 with its padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace nvmlkit::serve
