// A driver that has every function, answers what a test tells it to, and remembers what it was asked.
#pragma once

#include <functional>
#include <memory>
#include <nvmlkit/interpose.hpp>
#include <set>
#include <vector>

#include "methods.hpp"

namespace nvmlkit::nvml::test {

// The version of the struct that a call hands over; 0 when it hands over none.
unsigned int struct_version_of(const interpose::Call& call) noexcept;

class ScriptedDriver : public interpose::Hook {
 public:
  struct Asked {
    std::size_t symbol;
    unsigned int struct_version;
    Errc code;
  };

  // What stands between a test and the method: it succeeds, unless it is what the method is about.
  static bool is_ground(std::size_t symbol);
  // Of the ground, a function that describes records, and about which a driver can lie.
  static bool describes_records(std::size_t symbol);
  void script(std::span<const Candidate> candidates, std::function<Errc(const interpose::Call&)> answer);

  interpose::Word on_call(const interpose::Call& call) noexcept override;

  std::vector<Asked> asked;  // without the ground

 private:
  std::set<std::size_t> about_;
  std::function<Errc(const interpose::Call&)> answer_;
};

// Every member set; `hidden` are null.
Table whole_table(const std::set<std::string>& hidden = {});
// Only what stands between a test and the method.
Table ground_table(std::span<const Candidate> without = {});

}  // namespace nvmlkit::nvml::test
