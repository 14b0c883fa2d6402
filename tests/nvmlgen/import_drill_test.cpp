// The drill: headers imported in the order of their versions, from an empty registry on, end at today's registry.
#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "import_support.hpp"
#include "older_facts.hpp"

namespace nvmlgen::testing_support {
namespace {

using nlohmann::json;

json facts_of(const fs::path& folder, const std::string& name) { return json::parse(read_file(folder / name)); }

// The headers of the registry's history, in order.
class Ladder {
 public:
  explicit Ladder(const json& history) : headers_(history.at("headers")) {}
  std::size_t place(const std::string& version) const {
    return static_cast<std::size_t>(std::find(headers_.begin(), headers_.end(), version) - headers_.begin());
  }
  bool has(const std::string& version) const { return place(version) < headers_.size(); }

 private:
  std::vector<std::string> headers_;
};

class Drill : public ::testing::Test {
 protected:
  // Debian's headers, and those of a folder whose files are named VERSION.h, such as the history of a binding.
  void SetUp() override {
    const std::pair<const char*, const char*> debian[] = {{"NVMLKIT_TEST_HEADER_11_8", "11.8.86"},
                                                          {"NVMLKIT_TEST_HEADER_12_4", "12.4.127"},
                                                          {"NVMLKIT_TEST_HEADER_12_5", "12.5.82"}};
    for (const auto& [variable, version] : debian)
      if (const auto path = file_from_env(variable)) add(version, *path);
    if (const auto folder = file_from_env("NVMLKIT_TEST_HEADERS"))
      for (const auto& file : fs::directory_iterator(*folder)) add(file.path().stem().string(), file.path().string());
    if (headers_.size() < 2) GTEST_SKIP() << "NVMLKIT_TEST_HEADER_11_8 and others do not name two headers";
  }
  void add(const std::string& version, const std::string& path) {
    ASSERT_TRUE(ladder_.has(version)) << "the history has no header " << version;
    headers_[ladder_.place(version)] = {version, path};
  }

  // The first imported header that has what came with `version`; none if all are older.
  std::string first_imported(const std::string& version) const {
    const auto found = headers_.lower_bound(ladder_.place(version));
    return found == headers_.end() ? std::string() : found->second.first;
  }
  // Whether an imported header lies between both, which count.
  bool was_imported(const json& removed) const {
    const auto found = headers_.lower_bound(ladder_.place(removed.at("first_seen")));
    return found != headers_.end() && found->first <= ladder_.place(removed.at("last_seen"));
  }

  // Whether every header of the history up to the newest one here is here.
  bool is_whole() const { return !headers_.empty() && headers_.rbegin()->first + 1 == headers_.size(); }
  json versions() const {
    json out = json::array();
    for (const auto& [place, header] : headers_) out.push_back(header.first);
    return out;
  }

  const fs::path registry_ = NVMLKIT_REGISTRY_FACTS;
  const json history_ = facts_of(registry_, "history.json");
  const Ladder ladder_{history_};
  std::map<std::size_t, std::pair<std::string, std::string>> headers_;  // by place: version and path
};

// Everything that is missing came with a header after the newest one here.
TEST_F(Drill, HeadersInOrderEndAtTheRegistry) {
  TempDir dir;
  const fs::path target = dir / "facts";
  for (const auto& [place, header] : headers_) {
    const Output done = nvmlgen_run({"import", header.second, "--version", header.first, "--facts", target.string()});
    ASSERT_EQ(done.code, 0) << header.first << ": " << done.err;
  }
  std::map<std::string, std::string> wanted, found;
  for (const json& function : facts_of(registry_, "functions.json"))
    if (const auto version = first_imported(function.at("first_seen")); !version.empty())
      wanted[function.at("name")] = version;
  for (const json& function : facts_of(target, "functions.json"))
    found[function.at("name")] = function.at("first_seen");
  EXPECT_EQ(found, wanted);
  EXPECT_GT(found.size(), 340U);

  const json after = facts_of(target, "history.json");
  for (const auto& [place, header] : headers_)
    EXPECT_EQ(after.at("functions_per_header").at(header.first), history_.at("functions_per_header").at(header.first))
        << header.first;
  std::set<std::string> gone, gone_here;
  for (const auto& [name, removed] : history_.at("removed_functions").items())
    if (was_imported(removed)) gone.insert(name);
  for (const auto& [name, removed] : after.at("removed_functions").items()) gone_here.insert(name);
  EXPECT_EQ(gone_here, gone);
  if (!is_whole()) return;

  // Without a gap everything is equal, but what the registry marks as newer, and what libraries export.
  const OlderFacts older(registry_, versions());
  EXPECT_EQ(facts_of(target, "functions.json"), older.functions());
  EXPECT_EQ(facts_of(target, "structs.json"), older.structs());
  EXPECT_EQ(facts_of(target, "enums.json"), older.enums());
  EXPECT_EQ(facts_of(target, "constants.json"), older.constants());
  EXPECT_EQ(facts_of(target, "families.json"), older.families());
  const json types = older.types(), types_here = facts_of(target, "types.json");
  for (const auto& [name, value] : types.items()) EXPECT_EQ(types_here.at(name), value) << name;
  for (const char* timeline : {"constant_changes", "struct_layout_changes", "signature_changes"})
    EXPECT_EQ(after.at(timeline), older.timelines(timeline)) << timeline;
}

}  // namespace
}  // namespace nvmlgen::testing_support
