// libevent's requests as values, and values as its responses.
#pragma once

#include <event2/http.h>

#include "serve/http/message.hpp"

namespace nvmlkit::serve::http {

Request read_request(evhttp_request* request);

// Headers only.
void write_headers(evhttp_request* request, const Response& response);
// All of it.
void write_response(evhttp_request* request, const Response& response);

const char* reason_of(int status);

}  // namespace nvmlkit::serve::http
