// Calls are answered from a recording.
#pragma once

#include <memory>
#include <string>

#include "driver/trace/clock.hpp"
#include "driver/trace/private_tables.hpp"
#include "driver/trace/settings.hpp"
#include "trace/player.hpp"

namespace nvmlkit::trace {

class Replayer {
 public:
  explicit Replayer(const Settings& settings);

  Word on_call(std::size_t symbol, const Word* words) noexcept;
  Word on_slot(const SlotCall& call) noexcept;

 private:
  Reply answer(std::size_t function, const Word* words);
  void report(const char* kind, const std::string& text);

  std::string report_path_;
  bool said_ = false;  // the line on stderr, where no file takes reports
  std::size_t reports_ = 0;
  std::unique_ptr<Player> player_;  // null: the recording cannot be read
  ClockWord* clock_ = nullptr;
};

}  // namespace nvmlkit::trace
