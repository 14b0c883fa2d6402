// Deviations of the loaded driver from the newest header, and their treatment by the bindings.
#pragma once

#include <string>

namespace nvmlkit::nvml {

struct ActiveErratum {
  const char* id;       // "process-info-stride"
  const char* what;     // what the driver does
  const char* handled;  // what the bindings do about it
  std::string why;      // why it is active: "driver 535.54.03 is one of 535 <= version < 535.98"
};

}  // namespace nvmlkit::nvml
