// Undoes the changes that an output suffers on its way into a bug report.
#pragma once

#include <string>
#include <vector>

#include "smi_log/text.hpp"

namespace nvmlkit::smi_log {

// As nvidia-smi wrote it: UTF-16 of a Windows shell, hard spaces of a web page and the &lt; of escaped XML are gone.
std::string as_printed(std::string text);

// The lines, without their ends. What stands in front of the head of a log, as the "> " of an answer or the time of a
// journal, is taken from all lines that begin like it.
std::vector<Line> lines_of(std::string_view text);

}  // namespace nvmlkit::smi_log
