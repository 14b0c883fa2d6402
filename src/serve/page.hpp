// The files of the page, embedded in the command.
#pragma once

#include <span>
#include <string_view>

namespace nvmlkit::serve {

struct PageFile {
  std::string_view name;  // without folders: index.html
  std::string_view text;
};

std::span<const PageFile> page_files();
// The description of the API, alone.
std::span<const PageFile> openapi_files();

// By its extension.
std::string_view type_of_file(std::string_view name);

}  // namespace nvmlkit::serve
