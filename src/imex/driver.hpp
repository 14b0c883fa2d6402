// What the service asks of the driver, by NVML.
#pragma once

#include <optional>
#include <string>

namespace nvmlkit::imex {

class Driver {
 public:
  // Nothing where there is no library, or no GPU; `problem` is a line about it.
  static std::optional<Driver> open(std::string& problem);

  const std::string& version() const { return version_; }
  // Is every GPU in its fabric?
  bool has_fabric() const;

 private:
  explicit Driver(void* library) : library_(library) {}
  void* library_;
  std::string version_;
};

}  // namespace nvmlkit::imex
