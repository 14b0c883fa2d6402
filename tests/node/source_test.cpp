// A file to copy, in parts, with one byte replaced.
#include "node/source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

namespace nvmlkit::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPart = 65536;
constexpr std::string_view kText = "the mark: ";

class CopiedFile : public testing::Test {
 protected:
  void SetUp() override { path_ = fs::path(testing::TempDir()) / ("source_" + std::to_string(getpid())); }
  void TearDown() override { fs::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string copy(const std::optional<root::Patch>& patch) const {
    const root::Copy copy{path_, 0644, patch};
    Source source(copy);
    std::string out;
    for (auto part = source.next(); !part.empty(); part = source.next()) out += part;
    EXPECT_EQ(out.size(), source.size());
    return out;
  }
  int reason(const std::optional<root::Patch>& patch) const try {
    copy(patch);
    return 0;
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.path1(), path_);
    return error.code().value();
  }

  fs::path path_;
};

TEST_F(CopiedFile, WithoutAPatchIsTheSame) {
  for (const auto size : {std::size_t{0}, std::size_t{1}, kPart - 1, kPart, kPart + 1, 3 * kPart}) {
    write(std::string(size, 'a') + "z");
    EXPECT_EQ(copy({}), std::string(size, 'a') + "z");
  }
}

TEST_F(CopiedFile, ThePatchedByteMayLieAnywhere) {
  for (const auto border : {kPart, 2 * kPart - kText.size() + 1, 2 * kPart})
    for (std::size_t back = 0; back <= kText.size() + 2; ++back) {
      const std::string before(border - back, 'a'), after(kPart / 2, 'b');
      write(before + std::string(kText) + "n" + after);
      ASSERT_TRUE(copy(root::Patch{kText, 'y'}) == before + std::string(kText) + "y" + after) << border << " " << back;
    }
}

TEST_F(CopiedFile, TheTextIsThereOnce) {
  const std::string far(kPart - 5, 'a');
  write(far);
  EXPECT_EQ(reason(root::Patch{kText, 'y'}), EINVAL) << "not at all";
  write(std::string(kText) + "n" + far + std::string(kText) + "n");
  EXPECT_EQ(reason(root::Patch{kText, 'y'}), EINVAL) << "twice";
  write(far + std::string(kText));
  EXPECT_EQ(reason(root::Patch{kText, 'y'}), EINVAL) << "no byte follows";
  write(far + std::string(kText) + "n");
  EXPECT_EQ(reason(root::Patch{kText, 'y'}), 0);
}

TEST_F(CopiedFile, NamesTheFileThatCannotBeRead) {
  EXPECT_EQ(reason({}), ENOENT);
  fs::create_directory(path_);
  EXPECT_EQ(reason({}), EINVAL);
}

}  // namespace
}  // namespace nvmlkit::node
