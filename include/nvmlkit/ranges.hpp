// What a GPU has several of, as light views: fans and NVLinks. Nothing is asked before it is looked at.
#pragma once

#include <nvmlkit/detail/index_iterator.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/objects.hpp>
#include <string>

namespace nvmlkit::nvml {

// A fan of a GPU. GPUs cooled by the air of the server have none.
class Fan : public Object<abi::nvmlDevice_t> {
 public:
  Fan(detail::StatePtr state, abi::nvmlDevice_t device, unsigned int index) noexcept
      : Object(std::move(state), device), index_(index) {}
  unsigned int index() const noexcept { return index_; }
  Device device() const { return Device(state_, handle_); }

  // What the fan is told to run at, in per cent of its maximum; a blocked fan answers the same. Needs maxwell or newer.
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
  NvLink(detail::StatePtr state, abi::nvmlDevice_t device, unsigned int index) noexcept
      : Object(std::move(state), device), index_(index) {}
  unsigned int index() const noexcept { return index_; }
  Device device() const { return Device(state_, handle_); }

  // @c nvmlDeviceGetNvLinkState
  Result<bool> active() const;
  // 1 is NVLink 1.0; see abi::NVLINK_VERSION_... @c nvmlDeviceGetNvLinkVersion
  Result<unsigned int> version() const;
  // "00000000:07:00.0" of what is at the other end. @c nvmlDeviceGetNvLinkRemotePciInfo_v2
  Result<std::string> remote_pci_bus_id() const;
  // A GPU, a switch or a CPU. @c nvmlDeviceGetNvLinkRemoteDeviceType
  Result<abi::nvmlIntNvLinkDeviceType_t> remote_device_type() const;
  // @c nvmlDeviceGetNvLinkErrorCounter
  Result<unsigned long long> errors(abi::nvmlNvLinkErrorCounter_t counter) const;

 private:
  unsigned int index_;
};

// Elements that are made from an owner's handle and an index.
template <class Element, class Owner>
class IndexRange {
 public:
  using iterator = detail::IndexIterator<IndexRange, Element>;

  IndexRange(detail::StatePtr state, Owner owner, unsigned int count) noexcept
      : state_(std::move(state)), owner_(owner), count_(count) {}
  unsigned int size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  Element operator[](unsigned int index) const { return Element(state_, owner_, index); }
  iterator begin() const noexcept { return {this, 0}; }
  iterator end() const noexcept { return {this, count_}; }

 private:
  detail::StatePtr state_;
  Owner owner_;
  unsigned int count_;
};

class FanRange : public IndexRange<Fan, abi::nvmlDevice_t> {
 public:
  using IndexRange::IndexRange;
};
class NvLinkRange : public IndexRange<NvLink, abi::nvmlDevice_t> {
 public:
  using IndexRange::IndexRange;
};

// S-class units, each with its own success or failure.
class UnitRange {
 public:
  using iterator = detail::IndexIterator<UnitRange, Result<Unit>>;

  UnitRange(detail::StatePtr state, unsigned int count) noexcept : state_(std::move(state)), count_(count) {}
  unsigned int size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  Result<Unit> operator[](unsigned int index) const;
  iterator begin() const noexcept { return {this, 0}; }
  iterator end() const noexcept { return {this, count_}; }

 private:
  detail::StatePtr state_;
  unsigned int count_;
};

}  // namespace nvmlkit::nvml
