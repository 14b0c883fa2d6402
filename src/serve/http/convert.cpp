#include "serve/http/convert.hpp"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>

#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/freed.hpp"
#include "evented/objects.hpp"

namespace nvmlkit::serve::http {
namespace {

const char* method_of(evhttp_cmd_type type) {
  switch (type) {
    case EVHTTP_REQ_GET:
      return "GET";
    case EVHTTP_REQ_HEAD:
      return "HEAD";
    case EVHTTP_REQ_POST:
      return "POST";
    case EVHTTP_REQ_DELETE:
      return "DELETE";
    default:
      return "";
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& each : out) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return out;
}

std::string decoded(const char* text) {
  std::size_t size = 0;
  const std::unique_ptr<char, Freed<free>> out(evhttp_uridecode(text, 0, &size));
  return out ? std::string(out.get(), size) : std::string();
}

}  // namespace

Request read_request(evhttp_request* request) {
  Request out;
  out.method = method_of(evhttp_request_get_command(request));
  const auto* const uri = evhttp_request_get_evhttp_uri(request);
  if (uri != nullptr) {
    out.absolute = evhttp_uri_get_host(uri) != nullptr;
    if (const char* path = evhttp_uri_get_path(uri)) out.path = decoded(path);
    evkeyvalq pairs{};
    if (const char* query = evhttp_uri_get_query(uri); query && evhttp_parse_query_str(query, &pairs) == 0) {
      for (const auto* each = pairs.tqh_first; each != nullptr; each = each->next.tqe_next)
        out.query[each->key] = each->value;
      evhttp_clear_headers(&pairs);
    }
  }
  for (const auto* each = evhttp_request_get_input_headers(request)->tqh_first; each != nullptr;
       each = each->next.tqe_next)
    out.headers.emplace_back(lower(each->key), each->value);
  auto* const body = evhttp_request_get_input_buffer(request);
  out.body.resize(evbuffer_get_length(body));
  evbuffer_remove(body, out.body.data(), out.body.size());
  return out;
}

void write_headers(evhttp_request* request, const Response& response) {
  auto* const headers = evhttp_request_get_output_headers(request);
  evhttp_add_header(headers, "Content-Type", response.type.c_str());
  for (const auto& [name, value] : response.headers) evhttp_add_header(headers, name.c_str(), value.c_str());
}

void write_response(evhttp_request* request, const Response& response) {
  write_headers(request, response);
  const evented::Buffer body(evbuffer_new());
  if (body) evbuffer_add(body.get(), response.body.data(), response.body.size());
  evhttp_send_reply(request, response.status, reason_of(response.status), body.get());
}

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace nvmlkit::serve::http
