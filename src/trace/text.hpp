// Recorded calls as text, and as the lines that interpose::Replay reads.
#pragma once

#include <map>
#include <string>

#include "trace/recording.hpp"

namespace nvmlkit::trace {

// What stands for a handle: its number in hexadecimal, or "#1" where handles of several recordings are compared.
class Handles {
 public:
  // Numbers the handles of a recording in the order of their first use.
  static Handles of(const Recording& recording);
  std::string text(std::uint64_t handle) const;
  bool knows(std::uint64_t handle) const { return numbers_.contains(handle); }

 private:
  std::map<std::uint64_t, std::size_t> numbers_;
};

// "nvmlDeviceGetName(device=0x7f00, name, length=96)"
std::string question_text(const Recording& recording, const Call& call, const Handles* handles = nullptr);
// "success, name="NVIDIA H100""; bytes of structs in hexadecimal if `whole`.
std::string answer_text(const Recording& recording, const Call& call, bool whole, const Handles* handles = nullptr);
// "success", "not_supported", ...
std::string result_text(int result);
// The name of an argument; "#2" in a function that this nvmlkit does not know.
std::string argument_name(const Function& function, std::size_t argument);

// The first line of a trace of interpose::Replay, and a line for a call. Empty for a call that this format lacks: of a
// private function, or with memory that is too deep to follow.
std::string replay_header(const Recording& recording);
std::string replay_line(const Recording& recording, const Call& call);

}  // namespace nvmlkit::trace
