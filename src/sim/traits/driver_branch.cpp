#include "sim/traits/driver_branch.hpp"

#include <charconv>

#include "sim/problem/names.hpp"

namespace nvmlkit::sim {

unsigned int branch_number(std::string_view driver_version) {
  unsigned int number = 0;
  std::from_chars(driver_version.data(), driver_version.data() + driver_version.size(), number);
  return number;
}

unsigned int release_number(std::string_view driver_version) {
  const auto dot = driver_version.find('.');
  return dot == std::string_view::npos ? 0 : branch_number(driver_version.substr(dot + 1));
}

const DriverBranch& nearest_branch(unsigned int number) {
  const DriverBranch* found = &driver_branches[0];
  for (const auto& branch : driver_branches)
    if (branch.number <= number) found = &branch;
  return *found;
}

CudaVersion newest_cuda_of(std::string_view driver_version) {
  constexpr unsigned int kDefaultBranch = 550;
  const auto number = branch_number(driver_version);
  const auto wanted = number < kBranchCuda[0].branch ? kDefaultBranch : number;
  CudaVersion out{};
  for (const auto& known : kBranchCuda)
    if (known.branch <= wanted) out = {known.major, known.minor};
  return out;
}

std::optional<std::string> driver_version_of(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  const auto number = branch_number(text);
  if (number == 0 || text.size() > kLongest || text.find_first_not_of("0123456789.") != std::string_view::npos ||
      text.back() == '.' || text.find("..") != std::string_view::npos)
    return std::nullopt;
  if (text.find('.') != std::string_view::npos) return std::string(text);
  for (const auto& branch : driver_branches)
    if (branch.number == number) return std::string(branch.version);
  return std::nullopt;
}

Problem unknown_driver(std::string_view text) {
  std::string branches;
  for (const auto& branch : driver_branches)
    branches.append(branches.empty() ? "" : ", ").append(std::to_string(branch.number));
  return wrong_value("a branch (" + branches + ") or a version", quote(text));
}

}  // namespace nvmlkit::sim
