// The base of every object of the bindings: a native handle and the library that it belongs to.
#pragma once

#include <nvmlkit/session.hpp>

namespace nvmlkit::nvml {

// Cheap to copy. Keeps the library open; after Library::close() or a fork every call answers an error, and so does
// every call of an object whose GPU or MIG instance these bindings removed (Library::remove_gpu(), destroy()), also
// when the driver gives the same handle to another one. Two objects are equal when the driver gave them the same
// handle.
template <class Native>
class Object {
 public:
  Object(SessionPtr session, Native handle) noexcept
      : session_(std::move(session)), handle_{handle, session_->generation()} {}
  // As old as another object of the same handle.
  Object(SessionPtr session, Held<Native> held) noexcept : session_(std::move(session)), handle_(held) {}

  // For calls that have no method: library.call(&Table::DeviceGetName, device.handle(), ...).
  Native handle() const noexcept { return handle_; }
  // The same for library.call(), with the data that shows whether it is stale.
  Held<Native> held() const noexcept { return handle_; }
  const Table& table() const noexcept { return session_->table; }
  const SessionPtr& session() const noexcept { return session_; }

  friend bool operator==(const Object& a, const Object& b) noexcept { return a.handle() == b.handle(); }

 protected:
  SessionPtr session_;
  Held<Native> handle_;
};

}  // namespace nvmlkit::nvml
