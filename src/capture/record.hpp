// Values of a machine from answers, by the paths of machine files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/answers.hpp"
#include "sim/problem/problem.hpp"
#include "sim/text/flow.hpp"

namespace nvmlkit::capture {

// A value that the file may need: it goes in where the machine would answer one of the questions otherwise without it.
struct Candidate {
  std::string yaml;
  std::vector<std::string>
      questions;  // as "nvmlDeviceGetClockInfo(NVML_CLOCK_SM)", or the function alone; none: always
};

using Candidates = std::map<std::string, Candidate>;  // by path

using sim::text::FlowList;
using sim::text::FlowMap;

// Gathers candidates from the answers about one object. What came first stays.
class Record {
 public:
  Record(const Object& object, Candidates& candidates, std::vector<std::string>& notes)
      : object_(object), candidates_(candidates), notes_(notes) {}

  bool is_gpu() const { return object_.subject == Subject::device; }

  const Object& object() const { return object_; }
  const Json* ask(const std::string& question) const { return object_.answer(question); }
  // What was written at a path of an answer that succeeded, or null.
  const Json* ask(const std::string& question, std::string_view output) const;
  std::uint64_t number(const std::string& question, std::string_view output, std::uint64_t otherwise = 0) const;
  std::string text(const std::string& question, std::string_view output) const;

  void set(const std::string& path, std::string yaml, std::vector<std::string> questions);
  // As many items as the field takes; a note says how many there are more.
  void set(const std::string& path, FlowList list, std::vector<std::string> questions);
  void note(const std::string& text) { notes_.push_back(object_.name + ": " + text); }

 private:
  const Object& object_;
  Candidates& candidates_;
  std::vector<std::string>& notes_;
};

// Text in the double quotes of YAML. A machine file takes no control characters: each becomes a question mark.
std::string in_quotes(std::string_view text);

// What shown() says of a GPU, or of the host.
void record_shown(Record& record);

// Whether a machine file takes a value, on its own.
sim::Expected<void> check_value(const std::string& path, const std::string& yaml, bool gpu);

// The word of an enum of the model for a number that NVML returned; empty if no word exists.
std::string word_of(std::string_view gpu_path, std::uint64_t number);

}  // namespace nvmlkit::capture
