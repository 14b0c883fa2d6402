#include "serve/page.hpp"

#include <utility>

namespace nvmlkit::serve {

std::string_view type_of_file(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},        {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},          {".svg", "image/svg+xml"},
      {".json", "application/json; charset=utf-8"}, {".txt", "text/plain; charset=utf-8"},
  };
  for (const auto& [end, type] : kTypes)
    if (name.ends_with(end)) return type;
  return "application/octet-stream";
}

}  // namespace nvmlkit::serve
