// Raises events. `gpu` is the copy of a setter: the event is delivered when the change is committed, and dropped if the
// change is not.
#pragma once

#include "sim/events/messages.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/model.hpp"
#include "sim/native/events.hpp"

namespace nvmlkit::sim::events {

// `type` is a model::EventType; `data` the number of an Xid, else 0. One change raises at most
// Noted::capacity events; what comes after them is dropped.
inline void raise(model::Gpu& gpu, std::uint64_t type, std::uint64_t data = 0, std::uint32_t gpu_instance = kNoInstance,
                  std::uint32_t compute_instance = kNoInstance, std::uint32_t detail = 0) {
  auto& noted = gpu.events;
  if (noted.count < Noted::kCapacity)
    noted.events[noted.count++] = {type, data, gpu_instance, compute_instance, detail, 0};
}

// Puts a message of the driver into the kernel log.
inline void log(model::Gpu& gpu, Message message, std::uint32_t value = 0, std::uint32_t detail = 0) {
  raise(gpu, kLogged, data_of(message, value), kNoInstance, kNoInstance, detail);
}

}  // namespace nvmlkit::sim::events
