// What several functions tell about one GPU, held against each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fields.hpp"

namespace nvmlkit::driver_test {

class Agreements {
 public:
  Agreements(void* library, abi::nvmlDevice_t gpu, std::vector<abi::nvmlDevice_t> mig_devices, std::string name);

  // At the instant that `fields` were read at.
  void check(const Fields& fields, Complaints& complaints);
  // How many different things were compared so far.
  std::size_t compared() const { return compared_.size(); }

 private:
  void same(const std::string& what, double one, double other, Complaints& complaints);
  template <class T, class... Args>
  void same_field(const Fields& fields, unsigned int id, const char* function, Complaints& complaints, Args... args);
  void check_clocks(Complaints& complaints);
  void check_reasons(Complaints& complaints);
  void check_errors(const Fields& fields, Complaints& complaints);
  void check_power(const Fields& fields, Complaints& complaints);
  void check_memory(Complaints& complaints);
  template <class... Args>
  abi::nvmlReturn_t call(const char* function, Args... args) const;

  void* library_;
  abi::nvmlDevice_t gpu_;
  std::vector<abi::nvmlDevice_t> mig_devices_;
  std::string name_;
  std::set<std::string> compared_;
  std::vector<unsigned long long> idle_memory_;  // of MIG devices: used by no process
};

}  // namespace nvmlkit::driver_test
