// Streams and events. The work of a stream is done in the call that hands it over, so that a stream is always idle.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// Handles that stand for the default stream of the process and of the thread.
inline const CUstream kLegacyStream = reinterpret_cast<CUstream>(1);
inline const CUstream kPerThreadStream = reinterpret_cast<CUstream>(2);

// In the variants of functions for programs built with a default stream per thread, null means that one.
inline CUstream per_thread(CUstream stream) { return stream ? stream : kPerThreadStream; }

struct Capture;

struct Stream {
  CUcontext context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  // What it is captured into, and the nodes that the next one will depend on (graphs/capture.hpp).
  std::atomic<bool> is_captured{false};
  std::shared_ptr<Capture> capture;
  std::vector<CUgraphNode> front;
};

struct Event {
  CUcontext context = nullptr;
  unsigned flags = 0;
  std::atomic<std::int64_t> recorded_ns{0};  // 0: never
  // Recorded in a captured stream: it stands for these nodes.
  std::atomic<bool> is_captured{false};
  std::weak_ptr<Capture> capture;
  std::vector<CUgraphNode> nodes;
};

namespace streams {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

CUstream add(CUcontext context, unsigned flags, int priority);
// Null for what is no stream; the default streams are of the given context.
std::shared_ptr<Stream> find(CUstream stream, CUcontext context);
bool remove(CUstream stream);

CUevent add_event(CUcontext context, unsigned flags);
std::shared_ptr<Event> find_event(CUevent event);
bool remove_event(CUevent event);

std::int64_t now_ns();

// All that a context owns.
void remove_of(CUcontext context);

}  // namespace streams
}  // namespace nvmlkit::cuda
