// Captured streams, as streams know them: another object keeps their work. Graphs keep it as nodes
// (graphs/capture.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include "driver/cuda/streams/streams.hpp"
#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

// Keeps the work of one or more streams of a context.
class Capture {
 public:
  // By the calling thread, of this stream first.
  Capture(const Stream& origin, CUstreamCaptureMode mode);
  virtual ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Keeps work that the stream is handed.
  virtual CUresult add(Stream& stream, StreamWork work) = 0;

  // A call that cannot be kept, such as one that waits: the capture is invalid. Returns the error of the call.
  CUresult refuse();
  void invalidate() { is_invalid_ = true; }
  bool is_invalid() const { return is_invalid_; }

  // Documented: only relaxed captures may be ended by another thread.
  bool may_end_here() const;
  // Documented: which potentially unsafe calls of a thread in this mode disturb it.
  bool forbids_unsafe(CUstreamCaptureMode of_thread) const;
  bool is_of(CUcontext context) const { return context_ == context; }
  // Documented: the legacy default stream would wait for the captured streams, which is no work to be kept.
  bool forbids(const Stream& legacy) const;
  CUcontext context() const { return context_; }

 private:
  const CUcontext context_;
  const bool blocks_legacy_;
  const CUstreamCaptureMode mode_;
  const std::thread::id thread_;
  std::atomic<bool> is_invalid_{false};
};

namespace captures {

// Of the calling thread; documented for cuThreadExchangeStreamCaptureMode.
CUstreamCaptureMode exchange_mode(CUstreamCaptureMode mode);

// Whether the thread may call what is documented as potentially unsafe while a stream is captured, such as an
// allocation. Captures that this disturbs are invalid.
CUresult check_unsafe();
// The same for a call that waits for all of a context.
CUresult check_wait_for_all(CUcontext context);

// Whether work may be handed to a stream that is not captured. Captures that it disturbs become invalid, unless the
// call only asks, as cuda.h says of cuStreamIsCapturing.
CUresult check_uncaptured(const Stream& stream, bool is_handed_work = true);

// Ends the captures that began in one of these contexts with an error. False: there are none.
bool invalidate_of(const std::set<CUcontext>& contexts);

}  // namespace captures
}  // namespace nvmlkit::cuda
