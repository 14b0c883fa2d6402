// The threads that do the work of streams: a thread of the program that waits for it, or a worker (workers.hpp).
//
// One mutex guards all queues. The tasks of a stream run one after the other. A task waits only for points of other
// streams that were queued before it, so that no circle of waits is possible.
#pragma once

#include <condition_variable>
#include <mutex>

#include "driver/cuda/context/context.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/streams/streams.hpp"

namespace nvmlkit::cuda::schedule {

using Lock = std::unique_lock<std::mutex>;

// Hands tasks to a stream, in order, and behind what default streams are documented to wait for; `end`: where they end.
// Refused when the context has ended.
CUresult hand_over(Stream& stream, std::vector<Task> tasks, Point* end = nullptr);
// The same behind a point, which becomes their end. Nothing is done or waited for in this call.
CUresult hand_over_in_turn(Stream& stream, std::vector<Task> tasks, Point& turn);

// What is handed to the streams of a context from now on waits for the point.
void await(unsigned long long context_id, const Point& point);

bool is_idle(Stream& stream);  // nothing is before what would be handed to it now
bool is_reached(const Point& point);

// What a stream was handed until now.
Point end_of(Stream& stream);
Point point_of(const Event& event);
// The same of all streams with work that the predicate holds for.
std::vector<Point> ends(const std::function<bool(const Stream&)>& predicate);
// What work handed to this stream now would come behind: its own, and that of others where it is a default stream.
std::vector<Point> before(Stream& stream);

// Waits for all points, or returns the failure of the context. The caller does work that no thread has begun.
CUresult wait(Context& context, const std::vector<Point>& points);
CUresult wait_for_all(Context& context);
// The same, failed or not: nothing of the context runs any more.
void wait_out(Context& context, const std::vector<Point>& points);

// Until work is done that may use the memory.
CUresult wait_for_users(const Allocation& allocation);

// A host function may not call CUDA.
bool is_in_host_function();

// The process ends: what was not waited for is stopped.
void end();

// For the workers; all with the lock held.
Lock lock();
bool has_pending();                              // work that no thread does now
std::shared_ptr<Stream> ripe(std::int64_t now);  // with work that a thread should begin now, or null
void run_next(Lock& lock, Stream& stream);       // does the first task of a stream; the lock is free meanwhile
bool is_next_due(Stream& stream);
std::int64_t last_handed_ns();

}  // namespace nvmlkit::cuda::schedule
