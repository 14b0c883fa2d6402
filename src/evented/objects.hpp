// Owners of libevent's objects.
#pragma once

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>

#include <memory>

#include "base/freed.hpp"

namespace nvmlkit::evented {

using Base = std::unique_ptr<event_base, Freed<event_base_free>>;
using Http = std::unique_ptr<evhttp, Freed<evhttp_free>>;
using Event = std::unique_ptr<event, Freed<event_free>>;
using Buffer = std::unique_ptr<evbuffer, Freed<evbuffer_free>>;

}  // namespace nvmlkit::evented
