#include "driver/cuda/streams/schedule.hpp"

#include <algorithm>

#include "base/never_destroyed.hpp"
#include "driver/cuda/sanitize/work_order.hpp"
#include "driver/cuda/streams/schedule_state.hpp"
#include "driver/cuda/streams/workers.hpp"

namespace nvmlkit::cuda::schedule {
namespace {

// Work of this age that no thread waits for is for a worker.
constexpr std::int64_t kRipeNs = 20'000;
// A stream takes no more than this ahead of what is done.
constexpr std::uint64_t kMostAhead = 1024;

constinit thread_local bool in_host_function = false;

void finish(Task& task, std::uint64_t number) {
  auto& event = task.event;
  if (event && event->point.number == number) event->recorded_ns = streams::now_ns();
}

// Does what takes no time, in all streams, until nothing of that kind is left.
void settle() {
  auto& s = all();
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& stream : s.active) {
      auto& q = stream->queue;
      while (next_of(*stream) == Next::due && q.tasks.front().by == Task::By::lock) {
        auto task = std::move(q.tasks.front());
        q.tasks.pop_front();
        if (task.work && task.context->failure() == CUDA_SUCCESS) task.work(CUDA_SUCCESS);
        finish(task, ++q.done);
        moved = true;
      }
    }
  }
  std::erase_if(s.active, [](const auto& stream) { return stream->queue.tasks.empty() && !stream->queue.is_running; });
  if (s.waiting > 0) s.progress.notify_all();
}

void perform(Task& task) {
  const sanitizer::work_order::Doing doing(task.order);
  in_host_function = task.by == Task::By::worker;
  try {
    if (task.work) task.work(task.context->failure());
  } catch (const std::bad_alloc&) {
    task.context->fail(CUDA_ERROR_OUT_OF_MEMORY);
  } catch (...) {
    task.context->fail(CUDA_ERROR_UNKNOWN);
  }
  in_host_function = false;
}

void make_room(Context& context, Stream& stream) {
  Point point;
  {
    const auto held = lock();
    const auto& q = stream.queue;
    if (q.handed - q.done < kMostAhead) return;
    point = {stream.shared_from_this(), q.handed - kMostAhead / 2};
  }
  wait_for(context, point, false);
}

CUresult put(Lock&, Stream& stream, std::vector<Task> tasks) {
  if (in_host_function) return CUDA_ERROR_NOT_PERMITTED;
  if (tasks.front().context->has_ended()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  auto& s = all();
  auto& q = stream.queue;
  const auto kept = stream.shared_from_this();
  if (q.tasks.empty() && !q.is_running) s.active.push_back(kept);
  auto& first = tasks.front().behind;
  for (auto& point : others_before(stream)) first.push_back(std::move(point));
  s.last_handed_ns = streams::now_ns();
  sanitizer::work_order::hand_over(stream, tasks, q.handed + 1);
  for (auto& task : tasks) {
    task.since_ns = s.last_handed_ns;
    ++q.handed;
    if (task.event) {
      task.event->point = {kept, q.handed};
      task.event->recorded_ns = 0;
    }
    q.tasks.push_back(std::move(task));
  }
  settle();
  return CUDA_SUCCESS;
}

}  // namespace

Schedule& all() {
  static NeverDestroyed<Schedule> the;
  return *the;
}

Next next_of(Stream& stream) {
  auto& q = stream.queue;
  if (q.is_running) return Next::runs;
  if (q.tasks.empty()) return Next::none;
  auto& task = q.tasks.front();
  if (task.context->failure() != CUDA_SUCCESS) return Next::due;  // to be dropped
  std::erase_if(task.behind, reached);
  if (!task.behind.empty()) return Next::waits;
  if (task.is_due && !task.is_due()) return Next::waits_for_memory;
  return Next::due;
}

Lock lock() { return Lock(all().mutex); }

bool has_pending() {
  const auto& active = all().active;
  return std::any_of(active.begin(), active.end(), [](const auto& stream) { return !stream->queue.is_running; });
}

std::int64_t last_handed_ns() { return all().last_handed_ns; }
bool is_next_due(Stream& stream) { return next_of(stream) == Next::due; }
bool is_in_host_function() { return in_host_function; }

std::shared_ptr<Stream> ripe(std::int64_t now) {
  std::shared_ptr<Stream> best;
  for (const auto& stream : all().active) {
    if (next_of(*stream) != Next::due) continue;
    if (!stream->queue.is_urgent && now - stream->queue.tasks.front().since_ns < kRipeNs) continue;
    if (!best || stream->priority < best->priority) best = stream;
  }
  return best;
}

void run_next(Lock& held, Stream& stream) {
  auto& q = stream.queue;
  {
    auto task = std::move(q.tasks.front());
    q.tasks.pop_front();
    q.is_running = true;
    q.is_urgent = false;
    ++all().running;
    if (has_pending()) workers::expect(held);
    held.unlock();
    perform(task);
    const auto event = std::move(task.event);
    task = {};  // what it held is let go without the lock
    held.lock();
    ++q.done;
    if (event && event->point.number == q.done) event->recorded_ns = streams::now_ns();
  }
  --all().running;
  q.is_running = false;
  settle();
  if (has_pending()) workers::expect(held);
}

CUresult hand_over(Stream& stream, std::vector<Task> tasks, Point* end) {
  if (tasks.empty()) return CUDA_SUCCESS;
  if (in_host_function) return CUDA_ERROR_NOT_PERMITTED;
  make_room(*tasks.front().context, stream);
  Lock held(all().mutex);
  if (const auto result = put(held, stream, std::move(tasks)); result != CUDA_SUCCESS) return result;
  const auto& q = stream.queue;
  if (end) *end = {stream.shared_from_this(), q.handed};
  if (!q.is_running && q.tasks.size() == 1 && q.tasks.front().is_short && next_of(stream) == Next::due)
    run_next(held, stream);
  else if (has_pending())
    workers::expect(held);
  return CUDA_SUCCESS;
}

CUresult hand_over_in_turn(Stream& stream, std::vector<Task> tasks, Point& turn) {
  if (turn.stream) tasks.front().behind.push_back(turn);
  Lock held(all().mutex);
  if (const auto result = put(held, stream, std::move(tasks)); result != CUDA_SUCCESS) return result;
  turn = {stream.shared_from_this(), stream.queue.handed};
  if (has_pending()) workers::expect(held);
  return CUDA_SUCCESS;
}

void end() {
  auto& s = all();
  Lock held(s.mutex);
  s.has_ended = true;
  for (const auto& stream : s.active)
    if (const auto context = contexts::find(stream->context)) context->fail(CUDA_ERROR_DEINITIALIZED);
  s.progress.notify_all();
  // Memory of the program goes soon: kernels should not be at it. A slice of instructions takes some milliseconds.
  for (int i = 0; i < 100 && s.running > 0; ++i) {
    ++s.waiting;
    s.progress.wait_for(held, std::chrono::milliseconds(2));
    --s.waiting;
  }
}

}  // namespace nvmlkit::cuda::schedule
