// The CDI specification of a root in the folder of a container runtime.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nvmlkit::cli {

// The first line of a specification that this command made.
inline constexpr const char* kSpecificationMark = "# Made by nvmlkit root, which replaces it.\n";

class CdiFile {
 public:
  // Without a folder there is no file. Refuses what is no kind, and a file of that name which others made.
  CdiFile(const std::string& kind, const std::string& folder);

  // VENDOR-CLASS.yaml, the name that CDI gives to the only specification of a kind.
  const std::optional<std::filesystem::path>& path() const { return path_; }

  // Makes the file, or replaces it at once and as a whole, unless it holds the text already. Throws
  // std::filesystem::filesystem_error.
  void write(const std::string& text) const;
  void remove() const;

 private:
  std::optional<std::filesystem::path> path_;
};

}  // namespace nvmlkit::cli
