// What is wrong with a machine file, and where.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlkit::sim {

struct ConfigError {
  std::string file;        // empty = no file is at fault
  std::uint32_t line = 0;  // from 1; 0 = the error has no place inside the file
  std::uint32_t column = 0;
  std::string message;

  // One line: FILE:LINE:COLUMN: MESSAGE.
  std::string text() const;
};

// Thrown inside the reader; load_machine() lets none out.
struct ConfigFailure {
  ConfigError error;
};

}  // namespace nvmlkit::sim
