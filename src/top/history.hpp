// The last values of one quantity, a value for each frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nvmlkit::top {

class History {
 public:
  static constexpr std::size_t kLength = 1024;

  // Frames count up. A frame that is left out, and one without a value, is a gap.
  void add(std::uint64_t frame, std::optional<double> value);

  // The newest `count` values, oldest first; gaps are NaN, also where there is no value yet. `frame` is the last one.
  std::vector<double> last(std::size_t count, std::uint64_t frame) const;

 private:
  std::vector<float> ring_;  // by frame modulo kLength; empty before the first value
  std::uint64_t newest_ = 0;
};

}  // namespace nvmlkit::top
