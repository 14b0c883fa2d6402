// The queue of a stream: its unfinished work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::ptx {
struct LaunchOrder;
}

namespace nvmlkit::cuda {

class Context;
struct Event;
struct Stream;
namespace sanitizer::work_order {
struct Step;
}

// A place in the work of a stream: reached when so many of its tasks are done.
struct Point {
  std::shared_ptr<Stream> stream;
  std::uint64_t number = 0;
};

struct Task {
  enum class By {
    anybody,  // a worker, or a thread of the program that waits for it
    worker,   // host functions: the program may tell its threads apart
    lock,     // takes no time and calls nothing: the owner of the schedule's lock does it
  };
  std::shared_ptr<Context> context;
  By by = By::anybody;
  bool is_short = false;                       // may be done in the call that hands it over
  std::vector<Point> behind;                   // work of other streams that has to be done before
  std::function<bool()> is_due;                // when it is to wait for memory; asked with the lock held
  std::function<void(CUresult failure)> work;  // gets the earlier failure of the context; never throws
  std::shared_ptr<Event> event;                // that it records
  std::int64_t since_ns = 0;
  // For the check of races: the node of a graph that it belongs to, and what is done before.
  std::shared_ptr<const sanitizer::work_order::Step> step;
  std::shared_ptr<const ptx::LaunchOrder> order;
};

// Guarded by the lock of the schedule.
struct Queue {
  std::deque<Task> tasks;
  std::uint64_t handed = 0, done = 0;
  bool is_running = false;  // a task that is no longer in `tasks`
  bool is_urgent = false;   // a thread waits for work that only a worker may do
};

}  // namespace nvmlkit::cuda
