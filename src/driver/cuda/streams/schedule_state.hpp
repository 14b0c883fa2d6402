// The data of the schedule. Its mutex guards all of it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::schedule {

// Never destroyed, see process.cpp.
struct Schedule {
  std::mutex mutex;
  std::condition_variable progress;
  unsigned waiting = 0;                                      // threads, for progress
  std::vector<std::shared_ptr<Stream>> active;               // those with work
  std::map<unsigned long long, std::vector<Point>> awaited;  // by all streams of a context, by its id
  std::int64_t last_handed_ns = 0;
  unsigned running = 0;  // tasks
  bool has_ended = false;
};
Schedule& all();

// A point of no stream is that of an event that was never recorded: no wait is needed.
inline bool reached(const Point& p) { return !p.stream || p.stream->queue.done >= p.number; }

enum class Next { none, runs, waits, waits_for_memory, due };

// What is with the first task of a stream.
Next next_of(Stream& stream);

// Documented: the legacy default stream and those that are not non-blocking wait for each other. Of streams, or of what
// else has these members.
template <class S>
bool waits_for(const S& stream, const S& other) {
  const auto is_legacy = [](const S& s) { return s.kind == Stream::Kind::legacy; };
  const auto is_blocking = [](const S& s) { return !(s.flags & CU_STREAM_NON_BLOCKING); };
  return &stream != &other && stream.context_id == other.context_id &&
         ((is_legacy(stream) && is_blocking(other)) || (is_legacy(other) && is_blocking(stream)));
}

// The points in other streams that work handed to this one now comes behind.
std::vector<Point> others_before(const Stream& stream);

// Takes the mutex. Until the point is reached or the context fails; with `even_failed`, a failed context is waited for
// as well, unless the process ends.
void wait_for(Context& context, const Point& point, bool even_failed);

}  // namespace nvmlkit::cuda::schedule
