// Signs of life: seen by every process, gone with the one that gave them.
#include "storage/life.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

namespace nvmlkit::storage {
namespace {

class Signs : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/signs_" + std::to_string(getpid());
    std::ofstream(path_) << "a file";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  LifeSigns signs() const {
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct Closed {
      int file;
      ~Closed() { close(file); }
    } const closed{file};
    return {path_, file};
  }

  // A process that does it and then waits to be killed.
  static pid_t start(const std::function<void()>& work) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const auto child = fork();
    if (child == 0) {
      work();
      [[maybe_unused]] const auto told = write(ready[1], "r", 1);
      for (;;) pause();
    }
    close(ready[1]);
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
  }
  static void end(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  std::string path_;
};

TEST_F(Signs, AreSeenUntilTheirProcessEnds) {
  auto here = signs();
  EXPECT_EQ(here.is_given(7), false);
  const auto process = start([&] { here.give(7); });
  EXPECT_EQ(here.is_given(7), true);
  EXPECT_EQ(here.is_given(6), false);
  EXPECT_EQ(here.is_given(8), false);
  end(process);
  EXPECT_EQ(here.is_given(7), false);
}

TEST_F(Signs, AreSeenByTheirOwnProcessToo) {
  auto here = signs();
  ASSERT_TRUE(here.give(1));
  ASSERT_TRUE(here.give(2));
  EXPECT_EQ(here.is_given(1), true);
  here.release(1);
  EXPECT_EQ(here.is_given(1), false);
  EXPECT_EQ(here.is_given(2), true);
}

TEST_F(Signs, OfOneFileAreNotThoseOfAnotherOfItsName) {
  auto here = signs();
  ASSERT_TRUE(here.give(1));
  std::filesystem::rename(path_, path_ + ".old");
  std::ofstream(path_) << "another file";
  EXPECT_EQ(here.is_given(1), std::nullopt) << "cannot be told";
  EXPECT_TRUE(here.give(2)) << "by the file that is open";
  auto there = signs();
  EXPECT_EQ(there.is_given(1), false);
  std::filesystem::rename(path_ + ".old", path_);
  EXPECT_EQ(here.is_given(1), true);
  EXPECT_EQ(here.is_given(2), true);
}

TEST_F(Signs, OfAChildAreItsOwn) {
  auto here = signs();
  ASSERT_TRUE(here.give(1));
  const auto child = start([&] {
    here.give(2);
    here.release(1);  // was never its own
  });
  EXPECT_EQ(here.is_given(1), true);
  EXPECT_EQ(here.is_given(2), true);
  end(child);
  EXPECT_EQ(here.is_given(1), true);
  EXPECT_EQ(here.is_given(2), false);
}

// Programs that become services close every file that they did not open.
TEST_F(Signs, AreGivenAnewWhereTheProgramClosedTheFile) {
  auto here = signs();
  ASSERT_TRUE(here.give(1));
  for (int file = 3; file < 256; ++file) close(file);
  const int other = open("/dev/null", O_RDONLY);
  EXPECT_EQ(here.is_given(1), false);
  EXPECT_TRUE(here.give(1));
  EXPECT_EQ(here.is_given(1), true);
  EXPECT_EQ(fcntl(other, F_GETFD), 0) << "the file of another is not closed";
  close(other);
}

TEST_F(Signs, NeedTheRightToWrite) {
  auto here = signs();
  std::filesystem::remove(path_);
  EXPECT_FALSE(here.give(1));
  EXPECT_EQ(here.is_given(1), std::nullopt);
}

}  // namespace
}  // namespace nvmlkit::storage
