#include "driver/cuda/sanitize/work_order.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/never_destroyed.hpp"
#include "driver/cuda/sanitize/host_pages.hpp"
#include "driver/cuda/streams/schedule_state.hpp"

namespace nvmlkit::cuda::sanitizer::work_order {
namespace {

using Known = std::map<std::uint32_t, std::uint64_t>;

// Work that is remembered of a stream, to know what an event stands behind.
constexpr std::size_t kMostRemembered = 4096;

struct StreamOrder {
  std::uint32_t id = 0;
  // What decides which streams wait for each other.
  unsigned long long context_id = 0;
  Stream::Kind kind{};
  unsigned flags = 0;
  Known last;                         // what is done when all is done that it was handed
  std::map<std::uint64_t, Known> at;  // the same, for work in it
};

struct All {
  std::mutex mutex;
  std::uint32_t ids = 0;
  std::map<unsigned long long, StreamOrder> streams;
  Known host;
  std::atomic<std::uint64_t> version{0};
  std::uint32_t host_id = 0;  // of what threads of the host do themselves
};
All& order_of_all() {
  static NeverDestroyed<All> the;
  return *the;
}

thread_local std::shared_ptr<const ptx::LaunchOrder> now_done;

// Whether it learns something.
bool join(Known& into, const Known& other) {
  bool is_new = false;
  for (const auto& [stream, number] : other) {
    auto& own = into[stream];
    is_new |= own < number;
    own = std::max(own, number);
  }
  return is_new;
}

StreamOrder& order_of(All& all, const Stream& stream) {
  auto& out = all.streams[stream.id];
  if (out.id == 0) out.id = ++all.ids;
  out.context_id = stream.context_id;
  out.kind = stream.kind;
  out.flags = stream.flags;
  return out;
}

// What is done when a point is reached.
bool join(All& all, Known& into, const Point& point) {
  if (!point.stream) return false;
  const auto& order = order_of(all, *point.stream);
  const auto at = order.at.lower_bound(point.number);
  return join(into, at == order.at.end() ? order.last : at->second);
}

// The host has learned something. Where it knows all work to be done, it may use managed memory as it likes.
void learned(All& all) {
  ++all.version;
  const bool knows_all = std::ranges::all_of(all.streams, [&](const auto& entry) {
    return std::ranges::all_of(entry.second.last, [&](const auto& done) {
      const auto at = all.host.find(done.first);
      return at != all.host.end() && at->second >= done.second;
    });
  });
  if (knows_all) host_pages::let_in();
}

std::shared_ptr<const ptx::LaunchOrder> shared_order(std::uint32_t stream, std::uint64_t number, const Known& known) {
  ptx::LaunchOrder out;
  out.stream = stream;
  out.number = number;
  out.known = std::make_shared<const Known>(known);
  return std::make_shared<const ptx::LaunchOrder>(std::move(out));
}

// The nodes of one launch of a graph, each with a stream of its own.
struct Run {
  std::uint64_t number = 0, end = 0;
  Known before;
  std::map<std::size_t, std::pair<std::uint32_t, Known>> done;  // of steps

  std::shared_ptr<const ptx::LaunchOrder> order(All& all, const StreamOrder& stream, const Step& step) {
    auto& [id, known] = done[step.index];
    if (id == 0) {
      id = ++all.ids;
      known = before;
      for (const auto need : step.needs)
        if (const auto at = done.find(need); at != done.end()) join(known, at->second.second);
    }
    const auto count = ++known[id];
    Known without = known;
    --without[id];
    ptx::LaunchOrder out{id, count, stream.id, end, std::make_shared<const Known>(std::move(without))};
    return std::make_shared<const ptx::LaunchOrder>(std::move(out));
  }
};

}  // namespace

bool is_on() { return ptx::checking.races; }

std::uint64_t new_run() {
  static constinit std::atomic<std::uint64_t> runs{0};
  return ++runs;
}

void hand_over(Stream& stream, std::vector<Task>& tasks, std::uint64_t first) {
  if (!is_on()) return;
  auto& all = order_of_all();
  const std::lock_guard lock(all.mutex);
  auto& own = order_of(all, stream);
  Known known = own.last;
  join(known, all.host);
  for (const auto& [id, other] : all.streams)
    if (schedule::waits_for(own, other)) join(known, other.last);
  Run run;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    auto& task = tasks[k];
    const auto number = first + k;
    for (const auto& point : task.behind) join(all, known, point);
    if (task.step) {
      if (task.step->run != run.number) {
        run = {task.step->run, number, known, {}};
        while (run.end - first + 1 < tasks.size() && tasks[run.end - first + 1].step) ++run.end;
      }
      task.order = run.order(all, own, *task.step);
    } else {
      task.order = shared_order(own.id, number, known);
    }
    known[own.id] = number;
    own.at[number] = known;
  }
  while (own.at.size() > kMostRemembered) own.at.erase(own.at.begin());
  own.last = std::move(known);
  ++all.version;
  host_pages::lock_out();
}

std::uint64_t version() { return order_of_all().version; }

void saw(const Point& point) {
  if (!is_on() || !point.stream) return;
  auto& all = order_of_all();
  const std::lock_guard lock(all.mutex);
  if (join(all, all.host, point)) learned(all);
}

void saw_all_but(const std::vector<std::shared_ptr<Stream>>& active) {
  if (!is_on()) return;
  auto& all = order_of_all();
  const std::lock_guard lock(all.mutex);
  bool is_new = false;
  for (const auto& [id, order] : all.streams)
    if (std::ranges::none_of(active, [id = id](const auto& stream) { return stream->id == id; }))
      is_new |= join(all.host, order.last);
  if (is_new) learned(all);
}

void saw_before(const Stream& stream) {
  if (!is_on()) return;
  auto& all = order_of_all();
  const std::lock_guard lock(all.mutex);
  const auto& own = order_of(all, stream);
  bool is_new = join(all.host, own.last);
  for (const auto& [id, other] : all.streams)
    if (schedule::waits_for(own, other)) is_new |= join(all.host, other.last);
  if (is_new) learned(all);
}

Doing::Doing(std::shared_ptr<const ptx::LaunchOrder> order) : before_(std::exchange(now_done, std::move(order))) {}
Doing::~Doing() { now_done = std::move(before_); }

ptx::LaunchOrder current_or_host() {
  if (now_done) return *now_done;
  auto& all = order_of_all();
  const std::lock_guard lock(all.mutex);
  if (all.host_id == 0) all.host_id = ++all.ids;
  auto& done = all.host[all.host_id];
  const auto out = shared_order(all.host_id, done + 1, all.host);
  ++done;
  return *out;
}

ptx::LaunchOrder current() { return now_done ? *now_done : ptx::LaunchOrder{}; }

}  // namespace nvmlkit::cuda::sanitizer::work_order
