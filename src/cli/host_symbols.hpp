// Names of the host's functions that a library does not export, from the symbol tables of its file; lines of the
// source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/host_lines.hpp"
#include "sanitize/finding.hpp"

namespace nvmlkit::cli {

class HostSymbols {
 public:
  // Gives the frames of a finding names, where they have none, and lines.
  void name(sanitize::Finding& finding);

 private:
  struct Symbol {
    std::uint64_t start = 0, size = 0;
    std::string name;
  };
  struct File {
    std::vector<Symbol> symbols;  // by their place, relative to the file's first segment
    std::uint64_t first = 0;      // the address of that segment
  };
  static File read(const std::string& path);
  void name(std::vector<sanitize::HostFrame>& frames);
  static void name(const File& file, sanitize::HostFrame& frame);

  std::map<std::string, File> files_;
  HostLines lines_;
};

}  // namespace nvmlkit::cli
