// Answers of a recording for the calls of a program.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/recording.hpp"
#include "trace/shape.hpp"

namespace nvmlkit::trace {

enum class Order : std::uint8_t {
  calls,  // the n-th call with a question gets the n-th answer; after the last one, that one again
  time,   // the answer that was the last one at this time after the first call
};

enum class Match : std::uint8_t {
  exact,
  close,    // the same call, where bytes of a struct differ that may be leftovers
  outside,  // the recording has no such call
};

struct Reply {
  Word result = 0;
  Match match = Match::outside;
  std::uint64_t waited = 0;   // ns that the recorded call waited for an event
  std::uint64_t wall_ns = 0;  // when the recorded call ended, since 1970
  std::string first_output;   // of nvmlInternalGetExportTable: what the caller makes of it
};

class Player {
 public:
  // `outside` is called with the text of each call that the recording does not have, under the player's lock.
  Player(Recording recording, Order order, std::function<void(const std::string&)> outside);

  // The recorded library had the function.
  bool present(std::size_t function) const noexcept { return numbers_[function] != kAbsent; }
  // Writes the answer into the memory of the call. `now`: CLOCK_MONOTONIC, ns.
  Reply answer(std::size_t function, const Word* words, std::uint64_t now);

  const Recording& recording() const noexcept { return recording_; }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  struct Series {
    std::vector<std::uint32_t> records;
    std::size_t next = 0;
  };

  void index();
  Series* exact(std::string_view question);
  Series* closest(const Call& question);
  std::uint32_t pick(Series& series, std::uint64_t now);
  const char* lasting(const std::string& text) { return texts_.insert(text).first->c_str(); }

  Recording recording_;
  Order order_;
  std::function<void(const std::string&)> outside_;
  std::mutex mutex_;
  std::vector<std::uint32_t> numbers_;  // in the file, by function
  std::vector<std::uint64_t> starts_;   // by record
  std::unordered_map<std::string_view, Series> series_;
  std::vector<std::vector<std::string_view>> questions_;  // by number in the file
  std::unordered_set<std::string> texts_;
  std::uint64_t first_call_ = 0;  // of this program, CLOCK_MONOTONIC
};

}  // namespace nvmlkit::trace
