// The decisions of the guard, the token, and the list of routes against the OpenAPI document.
#include "serve/security/guard.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "serve/api/documents.hpp"
#include "serve/api/routes.hpp"
#include "serve/page.hpp"
#include "serve/security/token.hpp"

namespace nvmlkit::serve {
namespace {

const std::string kToken(64, 'a');

http::Request good_request() {
  return {.method = "POST",
          .path = "/api/v1/commands",
          .query = {},
          .headers = {{"host", "127.0.0.1:80"},
                      {"authorization", "Bearer " + kToken},
                      {"content-type", "application/json"}},
          .body = "{}"};
}

int status_of(const http::Request& request, Access access, bool any_address = false) {
  const Guard guard(
      {.token = kToken, .hosts = names_with_port({"127.0.0.1", "localhost", "[::1]"}, 80), .any_address = any_address});
  const auto refusal = guard.refuse(request, access);
  return refusal ? refusal->status : 200;
}

TEST(Guard, TakesAGoodRequest) {
  for (const auto access : {Access::page, Access::open, Access::read, Access::write})
    EXPECT_EQ(status_of(good_request(), access), 200);
}

TEST(Guard, RefusesByEachHeader) {
  const auto with = [](const std::string& name, const std::string& value) {
    auto out = good_request();
    std::erase_if(out.headers, [&](const auto& each) { return each.first == name; });
    out.headers.emplace_back(name, value);
    return out;
  };
  EXPECT_EQ(status_of(with("host", "example.com"), Access::page), 421);
  EXPECT_EQ(status_of(with("host", "192.0.2.1:80"), Access::read), 421);
  EXPECT_EQ(status_of(with("host", "192.0.2.1:80"), Access::read, true), 200);
  EXPECT_EQ(status_of(with("host", "example.com"), Access::read, true), 421);
  EXPECT_EQ(status_of(with("origin", "http://example.com"), Access::page), 403);
  EXPECT_EQ(status_of(with("sec-fetch-site", "cross-site"), Access::open), 403);
  EXPECT_EQ(status_of(with("sec-fetch-site", "cross-site"), Access::page), 200);  // a link to the page
  EXPECT_EQ(status_of(with("authorization", "Bearer b"), Access::read), 401);
  EXPECT_EQ(status_of(with("content-type", "text/plain"), Access::write), 415);
  auto doubled = good_request();
  doubled.headers.emplace_back("host", "127.0.0.1:80");
  EXPECT_EQ(status_of(doubled, Access::page), 400);
}

TEST(Token, IsRandomAndCompared) {
  const auto one = make_token(), two = make_token();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->size(), 64);
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(equal_in_constant_time(*one, *one));
  EXPECT_FALSE(equal_in_constant_time(*one, *two));
  EXPECT_FALSE(equal_in_constant_time(*one, one->substr(1)));
  EXPECT_FALSE(equal_in_constant_time("", "x"));
}

TEST(Routes, AreThoseOfTheDocument) {
  const auto document = nlohmann::json::parse(api::openapi_text());
  std::set<std::string> described, known;
  for (const auto& [path, item] : document.at("paths").items())
    for (const auto& [method, about] : item.items()) {
      auto word = method;
      for (auto& letter : word) letter = static_cast<char>(std::toupper(letter));
      described.insert(word + " " + path);
      // What needs no token is marked, and nothing else.
      const auto found = api::find_route(word, path);
      ASSERT_NE(found.entry, nullptr) << path;
      EXPECT_EQ(about.contains("security"), found.entry->access == Access::page) << path;
      EXPECT_EQ(word == "GET", found.entry->access != Access::write) << path;
    }
  for (const auto& route : api::routes()) known.insert(std::string(route.method) + " " + std::string(route.path));
  EXPECT_EQ(described, known);
}

TEST(Page, HasItsFilesWithTypes) {
  std::set<std::string_view> names;
  for (const auto& file : page_files()) {
    names.insert(file.name);
    EXPECT_NE(type_of_file(file.name), "application/octet-stream") << file.name;
    EXPECT_FALSE(file.text.empty()) << file.name;
  }
  EXPECT_TRUE(names.contains("index.html"));
}

}  // namespace
}  // namespace nvmlkit::serve
