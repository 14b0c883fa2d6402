// Messages of the driver in the kernel log that are no NVML events.
#pragma once

#include <cstdint>

namespace nvmlkit::sim::events {

enum class Message : std::uint32_t {
  module_loaded,
  gpu_uuid,           // before the first Xid of a GPU
  board_serial,       // likewise
  fallen_off,         // a GPU does not answer any more
  fallen_off_serial,  // likewise
  recovery_action,    // value: the action so far; detail: the new one
  switch_error,       // value: the number of an SXid; detail: the link of the GPU whose other end the switch is
  switch_port_error,  // of no GPU. value: the number of an SXid; detail: switch and port, see port_of_switch()
  api_mismatch,       // of library and kernel module
};

constexpr std::uint64_t data_of(Message message, std::uint32_t value) {
  return static_cast<std::uint64_t>(message) << 32 | value;
}
constexpr Message message_of(std::uint64_t data) { return static_cast<Message>(data >> 32); }
constexpr std::uint32_t value_of(std::uint64_t data) { return static_cast<std::uint32_t>(data); }

constexpr std::uint32_t port_of_switch(std::uint32_t nvswitch, std::uint32_t port) { return nvswitch << 16 | port; }

}  // namespace nvmlkit::sim::events
