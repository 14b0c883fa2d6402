// A call as the bytes of a record.
#pragma once

#include <cstdint>
#include <span>

#include "bindings/call_memory/memory.hpp"
#include "trace/buffer.hpp"
#include "trace/shape.hpp"

namespace nvmlkit::trace {

using nvml::interpose::at_word;
using nvml::interpose::Before;
using nvml::interpose::Region;

struct Times {
  std::uint64_t start, duration;  // ns; from the start of the recording
  std::uint32_t thread;
};

// What a call is asked with, taken before it is made; then its answer.
class Encoder {
 public:
  // `number`: of the function, in the file.
  Encoder(std::size_t number, const Shape& function, const Word* words) noexcept
      : number_(number), before_(function, words) {}

  const Before& before() const noexcept { return before_; }
  // The arguments and what the function reads. Equal questions are equal bytes, in any process.
  void question() noexcept;
  // The answer behind it. `extra`: what the caller knows about the first argument in place of its memory.
  void answer(Word result, const Times& times, std::span<const unsigned char> extra = {}) noexcept;

  std::span<const unsigned char> bytes() const noexcept { return out_.bytes(); }
  bool whole() const noexcept { return !out_.spoiled() && !scratch_.spoiled(); }

 private:
  std::size_t number_;
  Before before_;
  Buffer out_, scratch_;
};

}  // namespace nvmlkit::trace
