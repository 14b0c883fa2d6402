// A folder that is kept as a tree demands: what is there before, what others do to it, what cannot be written.
#include "node/keeper.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

namespace nvmlkit::node {
namespace {

namespace fs = std::filesystem;
using root::Directory;
using root::Link;
using root::Node;
using root::Text;
using root::Tree;

class KeptFolder : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::path(testing::TempDir()) / ("kept_" + std::to_string(getpid()));
    fs::remove_all(path_);
    folder_.emplace(path_);
    ASSERT_TRUE(folder_->is_mine());
  }
  void TearDown() override {
    folder_.reset();
    fs::remove_all(path_);
  }

  Keeper keeper(Tree fixed = {}) { return {*folder_, std::move(fixed), {"dev", "run", "sys"}, {"run/state"}}; }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((path_ / path).parent_path());
    std::ofstream(path_ / path) << text;
  }
  std::string read(const std::string& path) const {
    std::ifstream stream(path_ / path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  ino_t inode(const std::string& path) const {
    struct stat about {};
    return lstat((path_ / path).c_str(), &about) == 0 ? about.st_ino : 0;
  }

  // Everything that is there, but where files are made.
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (auto at = fs::recursive_directory_iterator(path_); at != fs::recursive_directory_iterator(); ++at) {
      if (at->path().filename() == kStaging)
        at.disable_recursion_pending();
      else
        out.insert(at->path().lexically_relative(path_).string());
    }
    return out;
  }

  void expect_tree(const Tree& tree) const {
    for (const auto& [path, entry] : tree) {
      if (const auto* text = std::get_if<Text>(&entry)) {
        EXPECT_EQ(read(path), text->text) << path;
        EXPECT_EQ(static_cast<unsigned int>(fs::status(path_ / path).permissions()), text->mode) << path;
      } else if (const auto* link = std::get_if<Link>(&entry)) {
        EXPECT_EQ(fs::read_symlink(path_ / path), link->target) << path;
      }
    }
  }

  fs::path path_;
  std::optional<Folder> folder_;
};

const Tree kTwoGpus{{"sys/devices/a/vendor", Text{"0x10de\n"}},
                    {"sys/devices/b/vendor", Text{"0x10de\n"}},
                    {"sys/bus/a", Link{"../devices/a"}},
                    {"sys/bus/b", Link{"../devices/b"}}};
const Tree kOneGpu{{"sys/devices/a/vendor", Text{"0x10de\n"}}, {"sys/bus/a", Link{"../devices/a"}}};

TEST_F(KeptFolder, FollowsTheTree) {
  auto kept = keeper({{"usr/lib/x.so", Text{"library", 0644}}});
  EXPECT_TRUE(kept.keep(kTwoGpus).empty());
  expect_tree(kTwoGpus);
  EXPECT_EQ(read("usr/lib/x.so"), "library");
  const auto library = inode("usr/lib/x.so"), vendor = inode("sys/devices/a/vendor");
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  EXPECT_EQ(names(), (std::set<std::string>{"sys", "sys/bus", "sys/bus/a", "sys/devices", "sys/devices/a",
                                            "sys/devices/a/vendor", "usr", "usr/lib", "usr/lib/x.so"}));
  EXPECT_TRUE(kept.keep(kTwoGpus).empty());
  expect_tree(kTwoGpus);
  EXPECT_EQ(inode("usr/lib/x.so"), library) << "what is true already is not touched";
  EXPECT_EQ(inode("sys/devices/a/vendor"), vendor);
}

TEST_F(KeptFolder, ANewKeeperReadsWhatIsThere) {
  EXPECT_TRUE(keeper().keep(kTwoGpus).empty());
  const auto vendor = inode("sys/devices/a/vendor");
  write("sys/devices/b/more", "old");
  fs::create_directories(path_ / "dev/empty/folder");
  write("run/state/machine", "theirs");
  write("run/other", "old");
  write("mine", "kept");
  EXPECT_TRUE(keeper().keep(kOneGpu).empty());
  expect_tree(kOneGpu);
  EXPECT_EQ(inode("sys/devices/a/vendor"), vendor);
  EXPECT_EQ(names(), (std::set<std::string>{"mine", "run", "run/state", "run/state/machine", "sys", "sys/bus",
                                            "sys/bus/a", "sys/devices", "sys/devices/a", "sys/devices/a/vendor"}));
}

TEST_F(KeptFolder, FoldersOfOthersKeepTheirFiles) {
  Keeper kept(*folder_, {{"tmp", Directory{01777}}}, {}, {"tmp"});
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  write("tmp/of/others", "kept");
  kept.distrust();
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  EXPECT_EQ(read("tmp/of/others"), "kept");
  EXPECT_EQ(fs::status(path_ / "tmp").permissions(), static_cast<fs::perms>(01777));
}

TEST_F(KeptFolder, AFolderThatHasToBeThereOutlivesItsFiles) {
  auto kept = keeper({{"run", Directory{}}});
  EXPECT_TRUE(kept.keep({{"run/log", Text{"moving"}}}).empty());
  EXPECT_TRUE(kept.keep({}).empty());
  EXPECT_TRUE(fs::is_directory(path_ / "run"));
  write("run/old", "of another");
  kept.distrust();
  EXPECT_TRUE(kept.keep({}).empty());
  EXPECT_TRUE(fs::is_directory(path_ / "run") && fs::is_empty(path_ / "run"));
}

TEST_F(KeptFolder, WhatStandsInTheWayGoes) {
  const auto outside = path_.string() + "_outside";
  fs::create_directories(outside);
  fs::create_directories(path_ / "sys");
  write("sys/devices/a/vendor/in/the/way", "a folder where a file has to be");
  write("sys/bus", "a file where a folder has to be");
  fs::create_symlink(outside, path_ / "sys/devices/b");
  EXPECT_TRUE(keeper().keep(kTwoGpus).empty());
  expect_tree(kTwoGpus);
  EXPECT_TRUE(fs::is_empty(outside)) << "no file is made through a link";
  fs::remove_all(outside);
}

TEST_F(KeptFolder, TheMiddleIsAfterThePutsAndBeforeTheErasures) {
  auto kept = keeper();
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  bool called = false;
  EXPECT_TRUE(kept.keep({{"sys/new", Text{"x"}}},
                        [&] {
                          called = true;
                          EXPECT_TRUE(fs::exists(path_ / "sys/new") && fs::exists(path_ / "sys/devices/a/vendor"));
                        })
                  .empty());
  EXPECT_TRUE(called);
  EXPECT_FALSE(fs::exists(path_ / "sys/devices"));
}

TEST_F(KeptFolder, ABadFileOfANewFolderLeavesTheOthers) {
  auto kept = keeper();
  const Tree tree{{"sys/new/a", Text{"a"}},
                  {"sys/new/deep/copy", root::Copy{path_ / "source", 0644}},
                  {"sys/new/deep/empty", root::Directory{01777}},
                  {"sys/new/link", Link{"a"}}};
  const auto problems = kept.keep(tree);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].path1(), path_ / "source");
  EXPECT_EQ(names(), (std::set<std::string>{"sys", "sys/new", "sys/new/a", "sys/new/deep", "sys/new/deep/empty",
                                            "sys/new/link"}));
  EXPECT_EQ(static_cast<unsigned int>(fs::status(path_ / "sys/new/deep/empty").permissions()), 01777u);
  EXPECT_EQ(static_cast<unsigned int>(fs::status(path_ / "sys/new/deep").permissions()), 0755u);
}

TEST_F(KeptFolder, TheMaskOfTheProcessDoesNotCount) {
  const auto before = umask(0077);
  EXPECT_TRUE(keeper().keep(kTwoGpus).empty());
  umask(before);
  expect_tree(kTwoGpus);
  EXPECT_EQ(static_cast<unsigned int>(fs::status(path_ / "sys/devices").permissions()), 0755u);
}

// Whoever looks at a folder finds all its files or no folder.
TEST_F(KeptFolder, ANewFolderAppearsWithItsFiles) {
  Tree many;
  for (int i = 0; i < 200; ++i) many["sys/new/f" + std::to_string(i)] = Text{"text"};
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> looks{0};
  std::size_t fewest = many.size();
  std::thread reader([&] {
    while (!stop) {
      std::error_code error;
      const auto entries = std::distance(fs::directory_iterator(path_ / "sys/new", error), fs::directory_iterator());
      if (!error) fewest = std::min(fewest, static_cast<std::size_t>(entries)), ++looks;
    }
  });
  EXPECT_TRUE(keeper().keep(many).empty());
  while (looks == 0 && fs::exists(path_ / "sys/new")) std::this_thread::yield();
  stop = true;
  reader.join();
  EXPECT_EQ(fewest, many.size());
}

TEST_F(KeptFolder, DistrustLooksAgain) {
  auto kept = keeper({{"usr/fixed", Text{"fixed"}}});
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  fs::remove(path_ / "sys/devices/a/vendor");
  fs::permissions(path_ / "usr/fixed", fs::perms::owner_all);
  kept.distrust();
  EXPECT_TRUE(kept.keep(kOneGpu).empty());
  expect_tree(kOneGpu);
  expect_tree({{"usr/fixed", Text{"fixed"}}});
}

TEST_F(KeptFolder, WhatFailsIsTriedAgain) {
  auto kept = keeper();
  const Tree copies{{"sys/copy", root::Copy{path_ / "source", 0644}}, {"sys/text", Text{"x"}}};
  const auto problems = kept.keep(copies);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].path1(), path_ / "source");
  EXPECT_EQ(read("sys/text"), "x") << "the others are made";
  write("source", "content");
  EXPECT_TRUE(kept.keep(copies).empty());
  EXPECT_EQ(read("sys/copy"), "content");
}

TEST_F(KeptFolder, NodesAreMadeOrStoodFor) {
  const Tree nodes{{"dev/nvidia0", Node{195, 0, 0666}}};
  EXPECT_TRUE(keeper().keep(nodes).empty());
  const auto first = inode("dev/nvidia0");
  struct stat about {};
  ASSERT_EQ(stat((path_ / "dev/nvidia0").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0666u);
  EXPECT_TRUE(S_ISCHR(about.st_mode) || about.st_size == 0);
  EXPECT_TRUE(keeper().keep(nodes).empty());
  EXPECT_EQ(inode("dev/nvidia0"), first) << "a container may have it mounted";
}

TEST_F(KeptFolder, OneAtATime) {
  const Folder second(path_);
  EXPECT_FALSE(second.is_mine());
  folder_.reset();
  EXPECT_TRUE(Folder(path_).is_mine());
}

TEST_F(KeptFolder, RemovesWhatItMade) {
  auto kept = keeper({{"usr/fixed", Text{"fixed"}}});
  EXPECT_TRUE(kept.keep(kTwoGpus).empty());
  write("mine", "kept");
  kept.remove();
  EXPECT_EQ(names(), std::set<std::string>{"mine"});
}

// Any tree after any other, by a keeper that knows the folder or one that reads it.
TEST_F(KeptFolder, RandomTrees) {
  std::mt19937 random(20261122);
  const auto below = [&](unsigned int n) { return static_cast<unsigned int>(random() % n); };
  const auto random_tree = [&] {
    Tree tree;
    for (unsigned int i = below(12); i > 0; --i) {
      std::string path = "sys";
      for (unsigned int depth = 1 + below(3); depth > 0; --depth) path += "/" + std::string(1, "abc"[below(3)]);
      const bool blocked = std::any_of(tree.begin(), tree.end(), [&](const auto& other) {
        return other.first.starts_with(path + "/") || path.starts_with(other.first + "/");
      });
      if (blocked) continue;
      tree[path] = below(3) == 0 ? root::Entry(Link{std::string(1, "xyz"[below(3)])})
                                 : root::Entry(Text{std::string(below(3), 't'), below(2) ? 0444U : 0644U});
    }
    return tree;
  };
  std::optional<Keeper> kept;
  for (int i = 0; i < 300; ++i) {
    if (!kept || below(4) == 0) kept.emplace(keeper());
    const auto tree = random_tree();
    ASSERT_TRUE(kept->keep(tree).empty());
    expect_tree(tree);
    std::set<std::string> expected;
    for (const auto& [path, entry] : tree)
      for (fs::path at = path; !at.empty(); at = at.parent_path()) expected.insert(at.string());
    ASSERT_EQ(names(), expected) << i;
  }
}

}  // namespace
}  // namespace nvmlkit::node
