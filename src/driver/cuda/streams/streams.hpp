// Streams and events. schedule.hpp runs their work.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/streams/queue.hpp"

namespace nvmlkit::cuda {

// Handles that stand for the default stream of the process and of the thread.
inline const CUstream kLegacyStream = reinterpret_cast<CUstream>(1);
inline const CUstream kPerThreadStream = reinterpret_cast<CUstream>(2);

// In the variants of functions for programs built with a default stream per thread, null means that one.
inline CUstream per_thread(CUstream stream) { return stream ? stream : kPerThreadStream; }

// The same for functions without a stream, for as long as it lives.
class OfThread {
 public:
  OfThread() : before_(is_) { is_ = true; }
  ~OfThread() { is_ = before_; }
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;
  static CUstream default_stream() { return is_ ? kPerThreadStream : kLegacyStream; }

 private:
  static inline constinit thread_local bool is_ = false;
  bool before_;
};

class Device;

// Captured streams: what keeps their work in place of the queue (work/capture.hpp), and what an event that was recorded
// in one stands for (graphs/capture.hpp). Nothing here looks into either.
class Capture;
struct CapturedPlace;

// Null unless it is captured. Other threads may begin and end that at any time.
template <class T>
class CaptureSlot {
 public:
  explicit operator bool() const { return is_set_; }  // without a lock: every launch asks
  std::shared_ptr<T> get() const {
    if (!is_set_) return nullptr;
    const std::lock_guard lock(mutex_);
    return captured_;
  }
  void set(std::shared_ptr<T> captured) {
    const std::lock_guard lock(mutex_);
    captured_.swap(captured);  // what was there ends without the lock
    is_set_ = captured_ != nullptr;
  }

 private:
  std::atomic<bool> is_set_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<T> captured_;
};

struct Stream : std::enable_shared_from_this<Stream> {
  enum class Kind { made, legacy, of_thread };
  Kind kind = Kind::made;
  CUcontext context = nullptr;
  unsigned long long context_id = 0;
  const Device* device = nullptr;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  Queue queue;
  CaptureSlot<Capture> capture;
};

struct Event {
  CUcontext context = nullptr;
  unsigned flags = 0;
  Point point;                                // where it was last recorded; guarded by the lock of the schedule
  std::atomic<std::int64_t> recorded_ns{0};   // 0: not yet
  CaptureSlot<const CapturedPlace> captured;  // where it was recorded in a captured stream
};

namespace streams {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

CUstream add(const Context& context, unsigned flags, int priority);
// A default stream.
std::shared_ptr<Stream> standing(const Context& context, Stream::Kind kind);
// Null for what is no stream; the default streams are of the given context.
std::shared_ptr<Stream> find(CUstream stream, Context& context);
bool remove(CUstream stream);

CUevent add_event(CUcontext context, unsigned flags);
std::shared_ptr<Event> find_event(CUevent event);
bool remove_event(CUevent event);

std::int64_t now_ns();

// All that a context owns.
void remove_of(CUcontext context);

}  // namespace streams
}  // namespace nvmlkit::cuda
