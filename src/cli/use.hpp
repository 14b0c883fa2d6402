// A program that `nvmlkit run` lets use GPUs: its process is their client while it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/launch.hpp"
#include "sim/processes/clients.hpp"

namespace nvmlkit::cli {

// The options --uses, --memory, --share and --type.
struct UseOptions {
  std::string gpus;  // empty: none
  std::string memory = "0";
  std::string type = "C";
  std::uint32_t share = 1;

  void declare(Arguments& arguments);
};

class GpuUser {
 public:
  // Refuses, and says which option is wrong. Without --uses it is a user of no GPU.
  static GpuUser of(const std::string& state, const UseOptions& options, const std::string& program);

  // Makes the program's process a client of all GPUs or, where one refuses, of none, with a message on stderr; ends its
  // use when it has ended.
  Around around() const;

 private:
  std::shared_ptr<sim::Machine> machine_;
  std::vector<std::size_t> gpus_;
  sim::processes::Request request_;
  std::string program_;
};

}  // namespace nvmlkit::cli
