#include "cli/cdi_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/command_error.hpp"
#include "cli/whole_file.hpp"
#include "root/cdi.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;

CdiFile::CdiFile(const std::string& kind, const std::string& folder) {
  if (!root::is_cdi_kind(kind))
    throw CommandError(of_argument(
        "--cdi-kind",
        sim::wrong_value("VENDOR/CLASS of letters, digits, -, _ and ., as nvidia.com/gpu", sim::quote(kind))));
  if (folder.empty()) return;
  auto name = kind + ".yaml";
  std::replace(name.begin(), name.end(), '/', '-');
  path_ = fs::absolute(folder).lexically_normal() / name;
  if (!fs::exists(fs::symlink_status(*path_))) return;
  std::string line;
  std::ifstream file(*path_);
  if (!std::getline(file, line) || line + "\n" != kSpecificationMark)
    throw CommandError({.kind = sim::ProblemKind::unusable_file,
                        .what = "nvmlkit did not make it, and it stays as it is",
                        .hint = "name another --cdi-kind or --cdi-dir, or remove the file",
                        .place = {.file = path_->string()}});
}

void CdiFile::write(const std::string& text) const {
  if (!path_) return;
  std::ifstream present(*path_, std::ios::binary);
  if (present && std::string(std::istreambuf_iterator<char>(present), {}) == text) return;
  write_whole(*path_, text);
}

void CdiFile::remove() const {
  if (path_) fs::remove(*path_);
}

}  // namespace nvmlkit::cli
