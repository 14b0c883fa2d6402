// Tests that need a process of their own: there is one cuInit in a process, which reads the environment, and a child of
// a process that called it has no driver.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace nvmlkit::cuda_test {

// Before the driver starts: true in a process that runs nothing but this test. In any other one, runs this test in such
// a process, and fails if it fails there.
inline bool has_own_process() {
  const auto& tests = *testing::UnitTest::GetInstance();
  if (tests.test_to_run_count() == 1) return true;
  const auto& own = *tests.current_test_info();
  const auto filter = std::string("--gtest_filter=") + own.test_suite_name() + "." + own.name();
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "/proc/self/exe", filter.c_str(), "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << filter << " in a process of its own";
  return false;
}

}  // namespace nvmlkit::cuda_test
