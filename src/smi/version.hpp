// The driver versions between which nvidia-smi prints a line.
#pragma once

#include <compare>
#include <string_view>

namespace nvmlkit::smi {

// The branch of a driver and its place in the branch: "590.48.01" is {590, 48}.
struct Version {
  unsigned branch = 0;
  unsigned minor = 0;

  constexpr auto operator<=>(const Version&) const = default;
};

Version parse_version(std::string_view text);

// From a version on, and before another one.
struct Range {
  Version since{};
  Version before{~0u, ~0u};

  constexpr bool has(Version version) const { return since <= version && version < before; }
};

// Of all drivers, unless it has ranges. A change that reached a newer release of an older branch needs two of them.
struct Versions {
  Range first{};
  Range second{{~0u, ~0u}, {~0u, ~0u}};

  constexpr bool has(Version version) const { return first.has(version) || second.has(version); }
};

inline constexpr Versions kAlways{};
constexpr Versions from(unsigned branch, unsigned minor = 0) { return {.first = {.since = {branch, minor}}}; }
constexpr Versions before(unsigned branch, unsigned minor = 0) { return {.first = {.before = {branch, minor}}}; }
constexpr Versions between(unsigned since, unsigned until) { return {.first = {{since, 0}, {until, 0}}}; }
// In `branch` from `minor` on, and from the branch `next` on, but not between them.
constexpr Versions backported(unsigned branch, unsigned minor, unsigned next) {
  return {.first = {{branch, minor}, {branch + 1, 0}}, .second = {.since = {next, 0}}};
}

}  // namespace nvmlkit::smi
