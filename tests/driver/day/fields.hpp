// All field ids of a device, by scope where the scope matters.
#pragma once

#include <vector>

#include "entry.hpp"
#include "questions.hpp"

namespace nvmlkit::driver_test {

class Fields {
 public:
  Fields(void* library, std::uintptr_t device, std::string name);

  // Reads all, twice at this instant: both times the same, with the results of before, and counters never go back.
  void read(Complaints& complaints);

  std::size_t size() const { return values_.size(); }
  bool answers() const { return result_ == abi::NVML_SUCCESS; }
  // The value of scope 0; null where the device does not have it.
  const abi::nvmlFieldValue_t* find(unsigned int id) const;

 private:
  abi::nvmlReturn_t get(std::vector<abi::nvmlFieldValue_t>& values) const;

  Entry<abi::nvmlDevice_t, int, abi::nvmlFieldValue_t*> get_;
  abi::nvmlDevice_t device_;
  std::string name_;
  abi::nvmlReturn_t result_;
  std::vector<abi::nvmlFieldValue_t> values_, again_, before_;
};

// Whatever its type.
double number(const abi::nvmlFieldValue_t& value);

}  // namespace nvmlkit::driver_test
