// The order of tasks, and threads of the program that wait.
#include "driver/cuda/sanitize/work_order.hpp"
#include "driver/cuda/streams/schedule_state.hpp"
#include "driver/cuda/streams/workers.hpp"

namespace nvmlkit::cuda::schedule {
namespace {

// A stream whose next task the caller can do so that the given one goes on, or null.
Stream* helpful(Lock& held, Stream& stream, bool& polls) {
  switch (next_of(stream)) {
    case Next::due:
      if (stream.queue.tasks.front().by != Task::By::worker) return &stream;
      stream.queue.is_urgent = true;
      if (!workers::expect(held)) return &stream;
      workers::hurry(held);
      return nullptr;
    case Next::waits:
      for (const auto& point : stream.queue.tasks.front().behind)
        if (auto* const found = helpful(held, *point.stream, polls)) return found;
      return nullptr;
    case Next::waits_for_memory:
      polls = true;
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<Point> others_before(const Stream& stream) {
  std::vector<Point> out;
  for (const auto& other : all().active)
    if (waits_for(stream, *other)) out.push_back({other, other->queue.handed});
  auto& awaited = all().awaited;
  if (awaited.empty()) return out;
  for (auto& entry : awaited) std::erase_if(entry.second, reached);
  std::erase_if(awaited, [](const auto& entry) { return entry.second.empty(); });
  if (const auto at = awaited.find(stream.context_id); at != awaited.end())
    out.insert(out.end(), at->second.begin(), at->second.end());
  return out;
}

void await(unsigned long long context_id, const Point& point) {
  const auto held = lock();
  if (!reached(point)) all().awaited[context_id].push_back(point);
}

void wait_for(Context& context, const Point& point, bool even_failed) {
  using namespace std::chrono_literals;
  auto& s = all();
  Lock held(s.mutex);
  const auto is_over = [&] {
    return reached(point) || (context.failure() != CUDA_SUCCESS && (s.has_ended || !even_failed));
  };
  while (!is_over()) {
    bool polls = false;
    if (auto* const stream = helpful(held, *point.stream, polls)) {
      const auto kept = stream->shared_from_this();
      run_next(held, *kept);
      continue;
    }
    ++s.waiting;
    const auto woken = s.progress.wait_for(held, polls ? 50us : std::chrono::microseconds(20ms));
    --s.waiting;
    if (woken == std::cv_status::no_timeout) continue;
    held.unlock();  // no other thread may notice a lost GPU
    context.look_for_failure();
    held.lock();
  }
  sanitizer::work_order::saw(point);
}

bool is_idle(Stream& stream) {
  const auto held = lock();
  return stream.queue.done == stream.queue.handed && others_before(stream).empty();
}

bool is_reached(const Point& point) {
  const auto held = lock();
  if (reached(point)) sanitizer::work_order::saw(point);
  return reached(point);
}

Point point_of(const Event& event) {
  const auto held = lock();
  return event.point;
}

Point end_of(Stream& stream) {
  const auto held = lock();
  return {stream.shared_from_this(), stream.queue.handed};
}

std::vector<Point> ends(const std::function<bool(const Stream&)>& predicate) {
  const auto held = lock();
  sanitizer::work_order::saw_all_but(all().active);
  std::vector<Point> out;
  for (const auto& stream : all().active)
    if (predicate(*stream)) out.push_back({stream, stream->queue.handed});
  return out;
}

std::vector<Point> before(Stream& stream) {
  const auto held = lock();
  sanitizer::work_order::saw_before(stream);
  auto out = others_before(stream);
  out.push_back({stream.shared_from_this(), stream.queue.handed});
  return out;
}

CUresult wait(Context& context, const std::vector<Point>& points) {
  if (is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  for (const auto& point : points) wait_for(context, point, false);
  context.printed().flush();
  return context.failure();
}

CUresult wait_for_all(Context& context) {
  return wait(context, ends([&](const Stream& s) { return s.context_id == context.id; }));
}

void wait_out(Context& context, const std::vector<Point>& points) {
  for (const auto& point : points) wait_for(context, point, true);
  context.printed().flush();
}

CUresult wait_for_users(const Allocation& allocation) {
  if (is_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const auto uses = [&](const Stream& s) {
    return allocation.context ? s.context == allocation.context : s.device == allocation.device;
  };
  for (const auto& point : ends(uses)) {
    const auto context = contexts::find(point.stream->context);
    if (!context) continue;
    wait_for(*context, point, false);
    context->printed().flush();
  }
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::schedule
