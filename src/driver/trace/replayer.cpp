#include "driver/trace/replayer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nvmlkit/generated/abi.hpp>

#include "bindings/call_memory/memory.hpp"
#include "driver/complain.hpp"

namespace nvmlkit::trace {

using nvml::interpose::at_word;
namespace {

constexpr std::size_t kMostReports = 1000;        // of a process
constexpr std::uint64_t kShortestWait = 1000000;  // ns; less is not slept
constexpr std::uint64_t kSecond = 1000000000;

std::uint64_t time_of(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_ns(std::uint64_t duration) noexcept {
  timespec rest{static_cast<time_t>(duration / kSecond), static_cast<long>(duration % kSecond)};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

ClockWord* map_clock(const std::string& path) {
  const int file = path.empty() ? -1 : open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* map = mmap(nullptr, sizeof(ClockWord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return map == MAP_FAILED ? nullptr : static_cast<ClockWord*>(map);
}

}  // namespace

Replayer::Replayer(const Settings& settings) : report_path_(settings.report), clock_(map_clock(settings.clock)) {
  auto recording = read(settings.replay);
  if (!recording) {
    recording.error().place.named_by = "NVMLKIT_TRACE_REPLAY";
    driver::complain(recording.error());
    return;
  }
  player_ = std::make_unique<Player>(std::move(*recording), settings.by_time ? Order::time : Order::calls,
                                     [this](const std::string& call) { report("outside", call); });
}

// A line in the file for each call; without a file the first one on stderr.
void Replayer::report(const char* kind, const std::string& text) {
  if (report_path_.empty()) {
    if (!said_ && std::strcmp(kind, "outside") == 0)
      driver::complain({.kind = sim::ProblemKind::missing, .what = "the recording does not have " + text});
    said_ = true;
    return;
  }
  if (++reports_ > kMostReports) return;
  const int file = open(report_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const std::string line = std::string(kind) + " " + text + "\n";
  if (write(file, line.data(), line.size()) < 0) reports_ = kMostReports;
  close(file);
}

Reply Replayer::answer(std::size_t function, const Word* words) {
  Reply out = player_->answer(function, words, time_of(CLOCK_MONOTONIC));
  if (out.match == Match::close) report("close", shape(function).name);
  if (clock_ && out.wall_ns != 0)
    clock_->store(static_cast<std::int64_t>(out.wall_ns - time_of(CLOCK_REALTIME)), std::memory_order_relaxed);
  if (out.waited >= kShortestWait) sleep_ns(out.waited);
  return out;
}

Word Replayer::on_call(std::size_t symbol, const Word* words) noexcept {
  if (!player_)
    return shape(symbol).returns_text ? reinterpret_cast<Word>("Unknown Error") : Word{abi::NVML_ERROR_UNKNOWN};
  if (!player_->present(symbol)) return Word{abi::NVML_ERROR_FUNCTION_NOT_FOUND};
  Reply reply = answer(symbol, words);
  if (symbol != export_table_function() || static_cast<int>(reply.result) != 0 || reply.first_output.empty())
    return reply.result;
  TableId id;
  std::memcpy(id.data(), at_word<unsigned char>(words[1]), id.size());
  const void* table = make_table(id, reply.first_output);
  if (!table) return Word{abi::NVML_ERROR_UNKNOWN};
  *at_word<const void*>(words[0]) = table;
  return reply.result;
}

Word Replayer::on_slot(const SlotCall& call) noexcept {
  Word words[kSlotWords] = {call.table, call.slot};
  if (call.function != unknown_slot()) cut_values(shape(call.function), call.words, words);
  if (!player_ || !player_->present(call.function)) return Word{abi::NVML_ERROR_NOT_SUPPORTED};
  const Reply reply = answer(call.function, words);
  return reply.match == Match::outside ? Word{abi::NVML_ERROR_NOT_SUPPORTED} : reply.result;
}

}  // namespace nvmlkit::trace
