// The functions of libnvidia-nscq.so.2. None lets an exception out.
#include <new>
#include <vector>

#include "driver/nscq/paths.hpp"

using namespace nvmlkit::nscq;

#pragma GCC visibility push(default)
extern "C" {

// Clients look up both as symbols.
extern const std::uint32_t nscq_api_version;
const std::uint32_t nscq_api_version = kVersion;
extern const char nscq_api_version_devel[];
const char nscq_api_version_devel[] = "nvmlkit";

Result nscq_uuid_to_label(const Uuid* uuid, Label* label, std::uint32_t) {
  if (!uuid || !label) return kInvalidUuid;
  *label = label_of(*uuid);
  return kSuccess;
}

SessionResult nscq_session_create(std::uint32_t flags) {
  Result result = kUnspecified;
  auto session = make_session(result);
  if (session && (flags & kMountDevices) != 0) session->mount_all(true);
  return {result, session.release()};
}

void nscq_session_destroy(Session* session) { delete session; }

Result nscq_session_mount(Session* session, const Uuid* uuid, std::uint32_t) {
  if (!session) return kUnspecified;
  if (!uuid) return kInvalidUuid;
  return session->mount(*uuid, true) ? kSuccess : kNotMountable;
}

void nscq_session_unmount(Session* session, const Uuid* uuid) {
  if (session && uuid) session->mount(*uuid, false);
}

Result nscq_session_path_observe(Session* session, const char* path, Callback callback, void* data, std::uint32_t) try {
  if (!session || !path || !callback) return kUnspecified;
  const auto observe = find_path(path);
  if (!observe) return kNotImplemented;
  observe(*session, callback, data);
  return kSuccess;
} catch (const std::bad_alloc&) {
  return kUnspecified;
}

Result nscq_session_path_write(Session*, const char*, void*, std::uint32_t) { return kNotImplemented; }

ObserverResult nscq_session_path_register_observer(Session* session, const char* path, Callback callback, void* data,
                                                   std::uint32_t) try {
  if (!session || !path || !callback) return {kUnspecified, nullptr};
  const auto observe = find_path(path);
  if (!observe) return {kNotImplemented, nullptr};
  session->observers().push_back(std::make_unique<Observer>(Observer{session, observe, callback, data}));
  return {kSuccess, session->observers().back().get()};
} catch (const std::bad_alloc&) {
  return {kUnspecified, nullptr};
}

void nscq_observer_deregister(Observer* observer) {
  if (observer) std::erase_if(observer->session->observers(), [&](const auto& own) { return own.get() == observer; });
}

Result nscq_observer_observe(Observer* observer, std::uint32_t) try {
  if (!observer) return kUnspecified;
  observer->observe(*observer->session, observer->callback, observer->data);
  return kSuccess;
} catch (const std::bad_alloc&) {
  return kUnspecified;
}

Result nscq_session_observe(Session* session, std::uint32_t) try {
  if (!session) return kUnspecified;
  for (const auto& observer : session->observers()) observer->observe(*session, observer->callback, observer->data);
  return kSuccess;
} catch (const std::bad_alloc&) {
  return kUnspecified;
}

Result nscq_session_watch(Session*, std::uint32_t, std::uint32_t) { return kNotImplemented; }

}  // extern "C"
#pragma GCC visibility pop
