// Names of the host's functions that a library does not export, from the symbol tables of its file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sanitize/finding.hpp"

namespace nvmlkit::cli {

class HostSymbols {
 public:
  // Gives the frames of a finding names, where they have none.
  void name(sanitize::Finding& finding);

 private:
  struct Symbol {
    std::uint64_t start = 0, size = 0;
    std::string name;
  };
  // By their place, relative to the file's first segment.
  static std::vector<Symbol> read(const std::string& path);
  void name(std::vector<sanitize::HostFrame>& frames);

  std::map<std::string, std::vector<Symbol>> files_;
};

}  // namespace nvmlkit::cli
