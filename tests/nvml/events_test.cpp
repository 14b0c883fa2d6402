// Waiting for events: timeout, deadline, stop request, a lost GPU.
#include <gtest/gtest.h>

#include <thread>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;
using test::fake_table;

int g_waits = 0;
unsigned int g_longest = 0;

// Waits as a driver does: sleeps for the time it is given, and says that it ran out.
Table event_table() {
  g_waits = 0;
  g_longest = 0;
  Table table = fake_table();
  table.EventSetCreate = [](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(static_cast<std::uintptr_t>(1));
    return abi::NVML_SUCCESS;
  };
  table.EventSetFree = [](abi::nvmlEventSet_t) { return abi::NVML_SUCCESS; };
  table.EventSetWait_v2 = [](abi::nvmlEventSet_t, abi::nvmlEventData_t*, unsigned int timeout) {
    ++g_waits;
    g_longest = std::max(g_longest, timeout);
    std::this_thread::sleep_for(std::chrono::milliseconds(timeout));
    return abi::NVML_ERROR_TIMEOUT;
  };
  return table;
}

EventSet set_of(const Table& table) { return EventSet::create(Library::from_table(table).value()).value(); }

TEST(EventSetWait, TimeoutIsEmptyAndTakesItsTime) {
  EventSet set = set_of(event_table());
  const auto begin = SteadyClock::now();
  EXPECT_FALSE(set.wait(250ms).value());
  EXPECT_GE(SteadyClock::now() - begin, 250ms);
  EXPECT_GT(g_longest, 0u);
  EXPECT_LE(g_longest, 100u);  // in slices, so that a stop request ends it; how many depends on the load of the machine
}

TEST(EventSetWait, ADeadlineInThePastPollsOnce) {
  EventSet set = set_of(event_table());
  EXPECT_FALSE(set.wait_until(SteadyClock::now() - 1h).value());
  EXPECT_FALSE(set.wait(-5ms).value());
  EXPECT_EQ(g_waits, 2);
  EXPECT_EQ(g_longest, 0u);
}

TEST(EventSetWait, AStopRequestEndsAWaitForEver) {
  EventSet set = set_of(event_table());
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  const auto begin = SteadyClock::now();
  EXPECT_FALSE(set.wait(std::chrono::milliseconds::max(), stop.get_token()).value());
  EXPECT_FALSE(set.wait_until(SteadyClock::time_point::max(), stop.get_token()).value());
  EXPECT_LT(SteadyClock::now() - begin, 5s);
}

TEST(EventSetWait, AnEventThatIsThereIsTakenAlthoughStopped) {
  Table table = event_table();
  table.EventSetWait_v2 = [](abi::nvmlEventSet_t, abi::nvmlEventData_t* data, unsigned int) {
    *data = {test::device_handle(1), static_cast<unsigned long long>(abi::EventTypeXidCriticalError), 79, 2, 3};
    return abi::NVML_SUCCESS;
  };
  EventSet set = set_of(table);
  std::stop_source stop;
  stop.request_stop();
  const auto event = set.wait(1h, stop.get_token()).value();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->device.index().value(), 1u);
  EXPECT_EQ(event->type, EventType::xid_critical_error);
  EXPECT_EQ(event->data, 79u);
  EXPECT_EQ(event->gpu_instance_id, 2u);
  EXPECT_EQ(event->compute_instance_id, 3u);
}

TEST(EventSetWait, ALostGpuIsAFailureAtOnce) {
  Table table = event_table();
  table.EventSetWait_v2 = [](abi::nvmlEventSet_t, abi::nvmlEventData_t*, unsigned int) {
    ++g_waits;
    return abi::NVML_ERROR_GPU_IS_LOST;
  };
  EventSet set = set_of(table);
  EXPECT_EQ(set.wait(1h).error().code(), Errc::gpu_is_lost);
  EXPECT_EQ(g_waits, 1);
}

TEST(EventSetWait, AfterCloseItFails) {
  Library library = Library::from_table(event_table()).value();
  EventSet set = EventSet::create(library).value();
  ASSERT_TRUE(library.close());
  EXPECT_EQ(set.wait(1h).error().code(), Errc::library_closed);
  EXPECT_EQ(g_waits, 0);
}

}  // namespace
}  // namespace nvmlkit::nvml
