// The lines of `nvidia-smi -q` and the elements of `nvidia-smi -q -x`, which show one tree.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smi/version.hpp"

namespace nvmlkit::smi {

// A value, or the heading of the deeper lines that follow.
struct Line {
  unsigned depth = 0;
  std::string label{};    // in the text; empty: not there
  std::string element{};  // in the XML; empty: not there
  std::optional<std::string> value{};
  unsigned text_depth = 0;  // deeper in the text than in the XML by this
  bool narrow = false;      // its value begins where those of older drivers begin
  bool verbatim = false;    // the element is a whole line of the document
};

using Lines = std::vector<Line>;

// The column of the colons.
unsigned value_column(Version version);

void append_text(const Lines& lines, Version version, fmt::memory_buffer& out);
void append_xml(const Lines& lines, fmt::memory_buffer& out);

std::string escaped(std::string_view text);

}  // namespace nvmlkit::smi
