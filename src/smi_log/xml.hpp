// The XML of `nvidia-smi -q -x`.
#pragma once

#include "smi_log/log.hpp"

namespace nvmlkit::smi_log {

// A document that was cut off, up to its last whole element, with the ends that it lacks.
std::string close_xml(std::string_view cut);

// Reads one <nvidia_smi_log>. `first_line` is where `text` begins in the file.
Expected<Log> read_xml_log(const std::string& file, std::string_view text, std::uint32_t first_line);

}  // namespace nvmlkit::smi_log
