// What is documented to be done before what: streams, events, default streams, edges of graphs, waits of the host. Only
// for the check of races; the schedule itself may keep a stricter order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ptx/checks.hpp"

namespace nvmlkit::cuda {

struct Point;
struct Stream;
struct Task;

namespace sanitizer::work_order {

// A node of a graph that is launched.
struct Step {
  std::uint64_t run = 0;  // of the graph; the same for all nodes of a launch
  std::size_t index = 0;
  std::vector<std::size_t> needs;
};

// Null unless races are looked for. A new number of a run.
std::uint64_t new_run();
bool is_on();

// Tasks are put into a stream, the first of them with this number. The schedule is locked.
void hand_over(Stream& stream, std::vector<Task>& tasks, std::uint64_t first);
// It changes where the host hands over work, or gets to know that some is done.
std::uint64_t version();
// The host knows that work is done.
void saw(const Point& point);
// The host is about to wait for all work, of which these streams have some; with `stream` for what comes before it.
void saw_all_but(const std::vector<std::shared_ptr<Stream>>& active);
void saw_before(const Stream& stream);

// The order of the task that the calling thread does.
class Doing {
 public:
  explicit Doing(std::shared_ptr<const ptx::LaunchOrder> order);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  std::shared_ptr<const ptx::LaunchOrder> before_;
};
ptx::LaunchOrder current();
// The same; for a thread that does no task, what the host knows to be done.
ptx::LaunchOrder current_or_host();

}  // namespace sanitizer::work_order
}  // namespace nvmlkit::cuda
