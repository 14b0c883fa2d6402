// Compares the answers of two machines.
#pragma once

#include <string>
#include <vector>

#include "capture/answers.hpp"

namespace nvmlkit::capture {

// Times of day count from the newest of their answer: two machines are never asked at the same instant.
bool same(const Json& a, const Json& b);

// Whether an object of two machines answers a question alike: all of a function, when the question names no argument.
bool same_answers(const Object& a, const Object& b, const std::string& question);

struct Comparison {
  std::size_t equal = 0;
  std::vector<std::string> different;  // "GPU 0: nvmlDeviceGetX: {...}, and on the machine file {...}"
};

// Of functions that the real driver has.
Comparison compare(const Answers& real, const Answers& twin);

// The object of the same name, or null.
const Object* counterpart(const Object& object, const Answers& other);

}  // namespace nvmlkit::capture
