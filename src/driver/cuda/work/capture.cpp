#include "driver/cuda/work/capture.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "base/never_destroyed.hpp"

namespace nvmlkit::cuda {
namespace {

struct CapturesUnderWay {
  std::mutex mutex;
  std::vector<Capture*> all;
};
auto& under_way() {
  static NeverDestroyed<CapturesUnderWay> the;
  return *the;
}
// How many there are; read by every launch.
constinit std::atomic<std::size_t> captures_under_way{0};

}  // namespace

Capture::Capture(const Stream& origin, CUstreamCaptureMode mode)
    : context_(origin.context),
      blocks_legacy_(!(origin.flags & CU_STREAM_NON_BLOCKING)),
      mode_(mode),
      thread_(std::this_thread::get_id()) {
  auto& captures = under_way();
  const std::lock_guard lock(captures.mutex);
  captures.all.push_back(this);
  captures_under_way = captures.all.size();
}

Capture::~Capture() {
  auto& captures = under_way();
  const std::lock_guard lock(captures.mutex);
  std::erase(captures.all, this);
  captures_under_way = captures.all.size();
}

CUresult Capture::refuse() {
  invalidate();
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

bool Capture::may_end_here() const {
  return mode_ == CU_STREAM_CAPTURE_MODE_RELAXED || thread_ == std::this_thread::get_id();
}

bool Capture::forbids(const Stream& legacy) const {
  return blocks_legacy_ && context_ == legacy.context && may_end_here();
}

bool Capture::forbids_unsafe(CUstreamCaptureMode of_thread) const {
  if (of_thread == CU_STREAM_CAPTURE_MODE_RELAXED || mode_ == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (thread_ == std::this_thread::get_id()) return true;
  return of_thread == CU_STREAM_CAPTURE_MODE_GLOBAL && mode_ == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

namespace {

constinit thread_local CUstreamCaptureMode mode_of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Those under way that a call disturbs.
template <class Disturbs>
CUresult refuse_where(CUresult error, Disturbs disturbs, bool invalidates = true) {
  if (captures_under_way.load(std::memory_order_relaxed) == 0) return CUDA_SUCCESS;
  auto& captures = under_way();
  const std::lock_guard lock(captures.mutex);
  auto result = CUDA_SUCCESS;
  for (auto* const capture : captures.all) {
    if (!disturbs(*capture)) continue;
    if (invalidates) capture->invalidate();
    result = error;
  }
  return result;
}

}  // namespace

CUstreamCaptureMode captures::exchange_mode(CUstreamCaptureMode mode) { return std::exchange(mode_of_thread, mode); }

CUresult captures::check_unsafe() {
  return refuse_where(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                      [](const Capture& capture) { return capture.forbids_unsafe(mode_of_thread); });
}

CUresult captures::check_wait_for_all(CUcontext context) {
  return refuse_where(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                      [&](const Capture& capture) { return capture.is_of(context); });
}

CUresult captures::check_uncaptured(const Stream& stream, bool is_handed_work) {
  if (stream.kind != Stream::Kind::legacy) return CUDA_SUCCESS;
  return refuse_where(
      CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, [&](const Capture& capture) { return capture.forbids(stream); },
      is_handed_work);
}

bool captures::invalidate_of(const std::set<CUcontext>& contexts) {
  return refuse_where(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                      [&](const Capture& capture) { return contexts.count(capture.context()) != 0; }) != CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda
