// Many threads, forks and ends of the process: what the bindings promise about each.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "any_library.hpp"

namespace nvmlkit::nvml {
namespace {

using test::open_library;

constexpr int kThreads = 16;

class Threads : public testing::Test {
 protected:
  void SetUp() override { ::setenv("NVMLKIT_MACHINE", "h100", 1); }

  static void run(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
    for (auto& thread : threads) thread.join();
  }

  // Waits for a child at most 20 s: one that hangs is killed and makes the test fail.
  static int end_of(pid_t child) {
    for (int i = 0; i < 2000; ++i) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == child) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(Threads, SixteenUseOneLibrary) {
  const Library library = open_library().value();
  const unsigned int gpus = library.device_count().value();
  std::atomic<int> failures = 0;
  run(kThreads, [&](int number) {
    for (int round = 0; round < 200; ++round) {
      const Library copy = library;
      const auto device = copy.device(static_cast<unsigned int>(number + round) % gpus);
      if (!device || !device->index()) ++failures;
      for (const auto& each : copy.devices().value())
        if (!each) ++failures;
      // Errors make their texts in several threads at once.
      const auto unit = copy.unit(7);
      if (unit || unit.error().message().empty() || nvml_category().message(number).empty()) ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(Threads, EachOpensAndClosesItsOwn) {
  std::atomic<int> failures = 0;
  run(kThreads, [&](int) {
    for (int round = 0; round < 20; ++round) {
      Result<Library> library = open_library();
      if (!library || !library->device(0)) ++failures;
      if (round % 2 && !library->close()) ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(Threads, OneOfManyClosesWins) {
  for (int round = 0; round < 50; ++round) {
    const Library library = open_library().value();
    std::atomic<int> closed = 0, late = 0;
    run(kThreads, [&](int) {
      Library copy = library;
      const auto result = copy.close();
      if (result) ++closed;
      if (!result && result.error().code() == Errc::library_closed) ++late;
    });
    EXPECT_EQ(closed, 1);
    EXPECT_EQ(late, kThreads - 1);
  }
}

// The last of them ends the library, whichever thread holds it.
TEST_F(Threads, DevicesOutliveTheirLibrary) {
  std::vector<Device> devices;
  {
    const Library library = open_library().value();
    for (const auto& device : library.devices().value()) devices.push_back(device.value());
  }
  std::atomic<int> failures = 0;
  run(kThreads, [&](int number) {
    const Device own = devices[static_cast<std::size_t>(number) % devices.size()];
    for (int round = 0; round < 200; ++round)
      if (!own.index()) ++failures;
  });
  EXPECT_EQ(failures, 0);
}

// An end reaches all threads, and only the objects that it is about.
TEST_F(Threads, GpusAreRemovedWhileOthersAreAsked) {
  const Library library = open_library().value();
  const Device kept = library.device(0).value(), removed = library.device(1).value();
  std::atomic<int> failures = 0;
  std::atomic<bool> gone = false;
  run(kThreads, [&](int number) {
    for (int round = 0; round < 500; ++round) {
      if (number == 0 && round % 50 == 25) {
        library.session()->retire(removed.handle());
        gone = true;
      }
      const bool stale = gone;
      if (!kept.index()) ++failures;
      const auto index = removed.index();
      if (stale ? index || index.error() != Errc::stale_handle : !index && index.error() != Errc::stale_handle)
        ++failures;
      if (number == 1 && !library.device(0).value().index()) ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
}

// What a forked child sees: the old library answers, a new one works, and nothing hangs. 0 is good.
int check_child(Library& library, const Device& device) {
  if (device.index().error().code() != Errc::forked) return 1;
  if (library.device_count().error().code() != Errc::forked) return 2;
  if (library.close().error().code() != Errc::forked) return 3;
  Result<Library> again = open_library();
  if (!again) return 4;
  const auto fresh = again->device(0);
  if (!fresh || !fresh->index()) return 5;
  if (device.index().error().code() != Errc::forked) return 6;
  return again->close() ? 0 : 7;
}

void race_with_forks(const std::function<void(const Library&)>& meanwhile) {
  Library library = open_library().value();
  const Device device = library.device(0).value();
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop) meanwhile(library);
    });
  for (int round = 0; round < 40; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);  // a lock that another thread held at the fork would hold us for ever
      ::_exit(check_child(library, device));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? "signal " : "step ")
                         << (WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (status != 0) break;
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(device.index()) << "the parent's library still works";
}

TEST_F(Threads, ForksWhileOthersCall) {
  race_with_forks([](const Library& library) { static_cast<void>(library.device(0).value().index().value()); });
}

// In the driver library the lock of nvmlInit is held at many of these forks.
TEST_F(Threads, ForksWhileOthersInitialise) {
  race_with_forks([](const Library& library) {
    auto another = Library::from_table(library.table());
    if (another) static_cast<void>(another->close());
  });
}

TEST_F(Threads, AGrandchildIsNoParent) {
  Library library = open_library().value();
  const Device device = library.device(0).value();
  const pid_t child = ::fork();
  if (child == 0) {
    Library again = open_library().value();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::_exit(check_child(again, device));
    ::_exit(end_of(grandchild) == 0 && again.device_count() ? 0 : 1);
  }
  EXPECT_EQ(end_of(child), 0);
}

// exit() with live handles, static ones too, while other threads are in calls.
TEST_F(Threads, ExitsWithLiveHandlesWhileOthersCall) {
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      static Library library = open_library().value();
      static std::vector<Device> devices;
      for (int i = 0; i < 8; ++i) devices.push_back(library.device(0).value());
      // Threads that never end, with handles of their own: those of the statics end while they run.
      for (int i = 0; i < 4; ++i)
        std::thread([copy = library] {
          while (true) static_cast<void>(copy.device(0).value().index());
        }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ::alarm(120);
      std::exit(0);
    }
    EXPECT_EQ(end_of(child), 0);
  }
}

}  // namespace
}  // namespace nvmlkit::nvml
