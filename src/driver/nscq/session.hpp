// A client's connection: the machine, and the NVSwitches that it mounted.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "driver/nscq/switches.hpp"

namespace nvmlkit::nscq {

class Session {
 public:
  explicit Session(std::unique_ptr<sim::Machine> machine)
      : machine_(std::move(machine)), devices_(devices_of(*machine_)) {}

  const sim::Machine& machine() const { return *machine_; }
  const std::vector<Device>& devices() const { return devices_; }
  std::vector<std::unique_ptr<Observer>>& observers() { return observers_; }

  void mount_all(bool mounted) {
    for (auto& device : devices_) device.is_mounted = mounted;
  }
  // False if the machine has no such device.
  bool mount(const Uuid& uuid, bool mounted);

 private:
  std::unique_ptr<sim::Machine> machine_;
  std::vector<Device> devices_;  // never moves: clients keep addresses of its UUIDs
  std::vector<std::unique_ptr<Observer>> observers_;
};

// What a client asks for again and again.
struct Observer {
  Session* session;
  void (*observe)(const Session&, Callback, void*);
  Callback callback;
  void* data;
};

// A session on the machine of the process, without mounted devices; null with the result of nscq_session_create.
std::unique_ptr<Session> make_session(Result& result) noexcept;

}  // namespace nvmlkit::nscq
