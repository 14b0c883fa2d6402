// Every getter that the contract table knows, with every argument that it takes, asked again and again.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "contract.hpp"

namespace nvmlkit::driver_test {

using Complaints = std::vector<std::string>;

// What getters are asked about.
struct Subjects {
  std::vector<std::uintptr_t> gpus, devices;  // devices: GPUs and MIG devices
  std::vector<std::uintptr_t> gpu_instances, compute_instances, units;
  std::vector<std::uintptr_t> memory_clocks, vgpu_types;
  std::vector<std::string> keys;  // what GPUs are found by: UUIDs, serial numbers, bus ids
};

class Questions {
 public:
  // Finds out which arguments each getter takes. Of those that it refuses one for each reason is asked again and again.
  Questions(void* library, const Subjects& subjects);

  std::size_t functions() const { return functions_; }
  std::size_t size() const { return questions_.size(); }

  // Asks all, twice at this instant: both times the same is answered, and with the result that was known before.
  void ask(Complaints& complaints);

 private:
  static constexpr std::size_t kMostArguments = 6;

  struct Question {
    const contract::Contract* contract;
    void* function;
    std::array<std::uintptr_t, kMostArguments> values;  // of arguments that are no pointers
    std::array<std::size_t, kMostArguments> extents;    // bytes that are written behind pointers
    const std::string* key;
    std::uint32_t version;
    int known;  // the result so far
  };

  void plan(const contract::Contract& contract, void* function, const Subjects& subjects);
  void measure(Question& question) const;
  int run(const Question& question, std::size_t buffers) const;
  static std::string name_of(const Question& question);

  std::vector<Question> questions_;
  std::size_t functions_ = 0;
};

}  // namespace nvmlkit::driver_test
