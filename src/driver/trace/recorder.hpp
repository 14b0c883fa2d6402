// Calls go to the next library and into a file of this process.
#pragma once

#include <atomic>
#include <mutex>
#include <nvmlkit/table.hpp>
#include <string>

#include "driver/trace/next_library.hpp"
#include "driver/trace/private_tables.hpp"
#include "driver/trace/settings.hpp"
#include "trace/encode.hpp"
#include "trace/writer.hpp"

namespace nvmlkit::trace {

class Recorder {
 public:
  explicit Recorder(const Settings& settings);

  Word on_call(std::size_t symbol, const Word* words) noexcept;
  Word on_slot(const SlotCall& call) noexcept;

  void close() noexcept;       // at the end of the process
  void begin_anew() noexcept;  // in the child of a fork: with a file of its own

 private:
  // The file of this process, made at its first call; null where there can be none.
  Writer* writer() noexcept {
    Writer* out = writer_.load(std::memory_order_acquire);
    return out || failed_.load(std::memory_order_relaxed) ? out : make_writer();
  }
  Writer* make_writer() noexcept;
  Word on_export_table(const Word* words) noexcept;
  void record(Writer& writer, Encoder& encoder, Word result, std::uint64_t start,
              const std::string& extra = {}) noexcept;

  Settings settings_;
  NextLibrary next_;
  std::atomic<Writer*> writer_{nullptr};
  std::atomic<bool> failed_{false};
  std::mutex* making_ = new std::mutex();  // replaced after a fork, where another thread may have held it
};

}  // namespace nvmlkit::trace
