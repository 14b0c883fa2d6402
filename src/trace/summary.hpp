// What a recording contains, by function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/recording.hpp"

namespace nvmlkit::trace {

// Which calls of a recording.
struct Filter {
  std::string function{};    // a pattern with * and ?, for the whole name; empty: all
  bool failed = false;       // only those that did not return success
  std::uint32_t thread = 0;  // 0: of all threads

  bool matches(const Recording& recording, const Call& call) const;
};

struct Count {
  std::string function;
  std::uint64_t calls = 0, failed = 0;
  std::uint64_t total_ns = 0, longest_ns = 0;
};

// The most called function first.
std::vector<Count> count(const Recording& recording, const Filter& filter);

// Functions that nvidia-smi and others call again and again differ in their answers: the questions of two recordings.
struct Difference {
  std::string question;                 // with handles as "#1", in the order of their first use
  std::uint64_t left = 0, right = 0;    // calls in each
  std::uint64_t differing = 0;          // pairs whose answers differ: the n-th with the n-th
  std::string first_left, first_right;  // answers of the first such pair
};

// In the order of the first calls; questions with equal answers in equal number are left out.
std::vector<Difference> compare(const Recording& left, const Recording& right, const Filter& filter);

}  // namespace nvmlkit::trace
