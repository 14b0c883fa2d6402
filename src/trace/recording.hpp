// A recording, read: what a process asked NVML and what it was answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"

namespace nvmlkit::trace {

// A function as the file describes it.
struct Function {
  std::string name;     // "nvmlDeviceGetName", "smi slot 209"
  std::string letters;  // a kind for each argument, see shape.hpp
  bool present = true;  // the recorded library had it
  bool returns_text = false;
  std::size_t known = SIZE_MAX;  // its number here; SIZE_MAX: this nvmlkit does not know a function of that form
};

struct Value {
  std::uint64_t word = 0;  // of a pointer 1 or 0
  std::optional<std::string> in, out;
};

// Memory behind a pointer inside the struct of an argument.
struct Nested {
  std::uint64_t argument = 0, offset = 0;
  std::optional<std::string> bytes;
};

struct Call {
  std::uint64_t number = 0;               // in the order in which calls ended, from 0
  std::size_t function = 0;               // in Recording::functions
  std::uint32_t thread = 0;               // in the order of first calls, from 1
  std::uint64_t start = 0, duration = 0;  // ns; from the start of the recording
  int result = 0;
  std::string text;  // of nvmlErrorString
  std::vector<Value> arguments;
  std::vector<Nested> nested_in, nested_out;
};

// A record as it is in the file.
struct Record {
  std::uint64_t number;
  std::string_view payload;
};

struct Recording {
  std::string program, library;
  std::uint32_t pid = 0;
  std::uint64_t start_ns = 0;  // since 1970
  bool closed = false;         // the process ended the file
  std::uint64_t written = 0;   // calls, also those that the bound let go
  std::uint64_t dropped = 0;   // calls that are larger than a segment or found no room
  std::vector<Function> functions;
  std::vector<Record> records;  // by number
  std::string bytes;            // of the file; the records point into it

  Recording() = default;
  Recording(Recording&&) = default;
  Recording& operator=(Recording&&) = default;

  // Calls that are in no segment any more.
  std::uint64_t lost() const { return written > records.size() ? written - records.size() : 0; }
  // Nothing for a record that does not follow its format.
  std::optional<Call> call(const Record& record) const;
  // The same up to the answer; what stands behind it is left.
  std::optional<Call> question(std::string_view payload) const;
};

// ProblemKind::unusable_file for what is no recording. `path`: for the problem.
sim::Expected<Recording> parse(std::string bytes, const std::string& path);
// Also of a process that still runs.
sim::Expected<Recording> read(const std::string& path);

// The bytes of a record up to its answer: equal for equal questions.
std::string_view question_of(const Recording& recording, std::string_view payload);

}  // namespace nvmlkit::trace
