// What a program is compiled from and what came out, as a file keeps it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlkit::nvrtc {

struct Source {
  std::string name, text;
  std::vector<std::pair<std::string, std::string>> headers;  // name and text
  std::vector<std::string> expressions;                      // whose lowered names the program asks for
};

struct Compiled {
  std::string ptx, log;                      // each with the zero at its end
  std::map<std::string, std::string> names;  // lowered, by expression
};

// Everything that the result depends on, as bytes; `compiler` is its release. Nothing where the result depends on more:
// files of the disk, the time of day, options that are not known to be without such an effect.
std::optional<std::string> content_of(const Source& source, const std::vector<std::string>& options,
                                      std::string_view compiler);

std::string written(const Compiled& compiled);
// Nothing where the bytes are of another form.
std::optional<Compiled> read(std::string_view bytes);

}  // namespace nvmlkit::nvrtc
