// The words of a command behind its verb: plain words, and options with or without a value.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim::steering {

struct Options {
  std::vector<std::string> plain;
  std::map<std::string, std::string, std::less<>> values;  // of flags: empty

  // Null where the option is not given.
  const std::string* find(std::string_view name) const;
};

// Options are --name VALUE, flags --name alone. Each may be given once.
Expected<Options> read_options(std::span<const std::string> words, std::span<const std::string_view> options,
                               std::span<const std::string_view> flags = {});

// "a,b,c" in parts.
std::vector<std::string> parts_of(std::string_view list);

}  // namespace nvmlkit::sim::steering
