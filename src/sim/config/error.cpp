#include "sim/config/error.hpp"

namespace nvmlkit::sim {

std::string ConfigError::text() const {
  if (file.empty()) return message;
  std::string out = file;
  if (line > 0) out.append(":").append(std::to_string(line)).append(":").append(std::to_string(column));
  return out.append(": ").append(message);
}

}  // namespace nvmlkit::sim
