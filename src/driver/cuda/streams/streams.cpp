#include "driver/cuda/streams/streams.hpp"

#include <chrono>

#include "base/never_destroyed.hpp"
#include "driver/cuda/context/context.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda::streams {
namespace {

auto& all_streams() {
  static NeverDestroyed<Handles<CUstream, Stream, HandleKind::stream>> the;
  return *the;
}

auto& all_events() {
  static NeverDestroyed<Handles<CUevent, Event, HandleKind::event>> the;
  return *the;
}

// The default streams are 1 and 2.
constinit std::atomic<unsigned long long> last_id{2};

std::shared_ptr<Stream> of(const Context& context) {
  auto stream = std::make_shared<Stream>();
  stream->context = context.handle();
  stream->context_id = context.id;
  stream->device = &context.device;
  return stream;
}

}  // namespace

CUstream add(const Context& context, unsigned flags, int priority) {
  auto stream = of(context);
  stream->flags = flags;
  stream->priority = priority;
  stream->id = ++last_id;
  return all_streams().add(std::move(stream));
}

std::shared_ptr<Stream> standing(const Context& context, Stream::Kind kind) {
  auto stream = of(context);
  stream->kind = kind;
  stream->id = kind == Stream::Kind::of_thread ? 2 : 1;
  return stream;
}

std::shared_ptr<Stream> find(CUstream stream, Context& context) {
  if (stream == kPerThreadStream) return context.thread_stream();
  return !stream || stream == kLegacyStream ? context.legacy_stream() : all_streams().find(stream);
}

bool remove(CUstream stream) { return all_streams().remove(stream) != nullptr; }

CUevent add_event(CUcontext context, unsigned flags) {
  auto event = std::make_shared<Event>();
  event->context = context;
  event->flags = flags;
  return all_events().add(std::move(event));
}

std::shared_ptr<Event> find_event(CUevent event) { return all_events().find(event); }

bool remove_event(CUevent event) { return all_events().remove(event) != nullptr; }

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void remove_of(CUcontext context) {
  const auto is_of = [&](const auto& object) { return object.context == context; };
  all_streams().remove_if(is_of);
  all_events().remove_if(is_of);
}

}  // namespace nvmlkit::cuda::streams
