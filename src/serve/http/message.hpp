// Requests and responses as values, apart from the library that reads and writes them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlkit::serve::http {

struct Request {
  std::string method;                                        // GET, HEAD, POST, DELETE; empty: another one
  std::string path;                                          // decoded, without the query
  std::map<std::string, std::string> query;                  // decoded
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  bool absolute = false;  // the request line has a whole URL, as requests to a proxy do

  // Null without such a header. Of several the first.
  const std::string* header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

inline constexpr std::string_view kJson = "application/json; charset=utf-8";
inline constexpr std::string_view kEventStream = "text/event-stream; charset=utf-8";

struct Response {
  int status = 200;
  std::string type = std::string(kJson);
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // The connection stays open behind the body, and Server::broadcast() writes to it.
  bool stream = false;
};

// An event of a stream. The data has no line ends.
std::string event_text(std::string_view name, std::string_view data);

}  // namespace nvmlkit::serve::http
