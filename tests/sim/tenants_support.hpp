// A machine whose MIG devices and processes commands change.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/problem/text.hpp"
#include "sim/processes/simulated.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/undo.hpp"

namespace nvmlkit::sim::steering {

inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

class Tenants : public testing::Test {
 protected:
  explicit Tenants(const char* name = "h100")
      : machine_(std::move(*load_machine({{"NVMLKIT_MACHINE", name}, {"NVMLKIT_GPU_COUNT", "2"}}))) {}

  // The message, or empty.
  std::string say(const std::string& line) const {
    const auto done = steer(*machine_, words_of(line));
    return done ? "" : text_of(done.error());
  }
  void good(const std::string& line) const { EXPECT_EQ(say(line), "") << line; }

  const model::Gpu& gpu(std::size_t place = 0) const { return machine_->gpus()[place]; }
  std::vector<std::uint32_t> instances() const {
    std::vector<std::uint32_t> out;
    for (const auto& instance : gpu().mig.instances) out.push_back(*instance.id);
    return out;
  }
  std::uint32_t pids(std::size_t place = 0) const {
    std::uint32_t out = 0;
    processes::for_each_client(*machine_, place, [&](const auto&, processes::Life) { ++out; });
    return out;
  }

  // Does the commands, takes them back, and returns what the GPU was before and is then.
  std::pair<std::string, std::string> there_and_back(const std::vector<std::string>& lines) const {
    const auto before = state();
    std::vector<Undo> undo;
    for (const auto& line : lines) {
      for (auto& each : undo_of(*machine_, words_of(line))) undo.push_back(std::move(each));
      good(line);
    }
    for (; !undo.empty(); undo.pop_back())
      if (const auto done = steer(*machine_, undo.back().words); !done) ADD_FAILURE() << text_of(done.error());
    return {before, state()};
  }

  std::string state() const {
    std::ostringstream out;
    out << (mig::enabled(gpu()) ? "MIG " : "");
    for (const auto& instance : gpu().mig.instances) {
      out << *instance.id << ' ' << instance.profile->view() << ':' << *instance.start << '(';
      for (const auto& compute : instance.compute_instances)
        out << *compute.id << ' ' << compute.profile->view() << ':' << *compute.start << ' ';
      out << ") ";
    }
    for (const auto& process : gpu().processes) out << "file " << *process.pid << ' ';
    std::multimap<std::uint32_t, std::string> clients;
    processes::for_each_client(*machine_, 0, [&](const processes::Client& client, processes::Life) {
      std::ostringstream one;
      one << client.pid << ' ' << client.name.view() << ' ' << client.memory_bytes << ' ' << client.load_percent << ' '
          << client.gpu_instance << ' ' << client.kinds << ' ';
      clients.emplace(client.pid, one.str());
    });
    for (const auto& [pid, text] : clients) out << text;
    return out.str() + "load " + std::to_string(gpu().workload.gpu.value_or(0));
  }

  std::unique_ptr<Machine> machine_;
};

}  // namespace nvmlkit::sim::steering
