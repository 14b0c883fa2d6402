// The fans and NVLinks of a GPU as light views. An element is read at its access.
#pragma once

#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/objects.hpp>
#include <string>

namespace nvmlkit::nvml {

// A fan of a GPU. GPUs cooled by the air of the server have none.
class Fan : public Object<abi::nvmlDevice_t> {
 public:
  Fan(SessionPtr session, HeldDevice device, unsigned int index) noexcept
      : Object(std::move(session), device), index_(index) {}
  unsigned int index() const noexcept { return index_; }
  Device device() const { return Device(session_, handle_); }

  // The requested speed, in per cent of the maximum; a blocked fan reports the same. Needs maxwell or newer.
  // @c nvmlDeviceGetFanSpeed_v2 @c nvmlDeviceGetFanSpeed
  Result<Percent> speed() const;
  // Where the control loop wants it. @c nvmlDeviceGetTargetFanSpeed (since 11.0)
  Result<Percent> target_speed() const;

 private:
  unsigned int index_;
};

// One NVLink of a GPU.
class NvLink : public Object<abi::nvmlDevice_t> {
 public:
  NvLink(SessionPtr session, HeldDevice device, unsigned int index) noexcept
      : Object(std::move(session), device), index_(index) {}
  unsigned int index() const noexcept { return index_; }
  Device device() const { return Device(session_, handle_); }

  // @c nvmlDeviceGetNvLinkState
  Result<bool> active() const;
  // @c nvmlDeviceGetNvLinkVersion
  Result<NvLinkVersion> version() const;
  // "00000000:07:00.0" of what is at the other end. @c nvmlDeviceGetNvLinkRemotePciInfo_v2
  Result<std::string> remote_pci_bus_id() const;
  // A GPU, a switch or a CPU. @c nvmlDeviceGetNvLinkRemoteDeviceType
  Result<NvLinkDeviceType> remote_device_type() const;
  // @c nvmlDeviceGetNvLinkErrorCounter
  Result<unsigned long long> errors(NvLinkErrorCounter counter) const;

 private:
  unsigned int index_;
};

// The fans, or the links, of one GPU.
template <class Part>
class PartRange : public detail::IndexRange<PartRange<Part>, Part> {
 public:
  PartRange(SessionPtr session, HeldDevice device, unsigned int count) noexcept
      : detail::IndexRange<PartRange, Part>(std::move(session), count), device_(device) {}
  Part operator[](unsigned int index) const { return Part(this->session_, device_, index); }

 private:
  HeldDevice device_;
};
class FanRange : public PartRange<Fan> {
 public:
  using PartRange::PartRange;
};
class NvLinkRange : public PartRange<NvLink> {
 public:
  using PartRange::PartRange;
};

// S-class units, each with its own success or failure.
class UnitRange : public detail::IndexRange<UnitRange, Result<Unit>> {
 public:
  UnitRange(SessionPtr session, unsigned int count) noexcept : IndexRange(std::move(session), count) {}
  Result<Unit> operator[](unsigned int index) const;
};

}  // namespace nvmlkit::nvml
