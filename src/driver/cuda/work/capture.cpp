#include "driver/cuda/work/capture.hpp"

#include <mutex>
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

CUresult captures::check_uncaptured(const Stream& stream) {
  if (captures_under_way.load(std::memory_order_relaxed) == 0 || stream.kind != Stream::Kind::legacy)
    return CUDA_SUCCESS;
  auto& captures = under_way();
  const std::lock_guard lock(captures.mutex);
  auto result = CUDA_SUCCESS;
  for (auto* const capture : captures.all) {
    if (!capture->forbids(stream)) continue;
    capture->invalidate();
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return result;
}

}  // namespace nvmlkit::cuda
