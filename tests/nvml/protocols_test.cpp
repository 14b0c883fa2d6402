#include <gtest/gtest.h>

#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/units.hpp>

namespace nvmlkit::nvml::detail {
namespace {

Outcome answer(Errc code) { return {code, symbol_index(&Table::DeviceGetAccountingPids)}; }

TEST(ReadString, StopsAtTheTerminator) {
  const auto text = read_string(8, [](char* buffer, unsigned int size) {
    EXPECT_EQ(size, 8u);
    std::memcpy(buffer, "abc\0def", 8);
    return answer(Errc::success);
  });
  EXPECT_EQ(text.value(), "abc");
}

TEST(ReadString, NeverReadsBehindAnUnterminatedBuffer) {
  const auto text = read_string(4, [](char* buffer, unsigned int) {
    std::memset(buffer, 'x', 4);
    return answer(Errc::success);
  });
  EXPECT_EQ(text.value(), "xxxx");
}

TEST(ReadString, GrowsUntilItFits) {
  int calls = 0;
  const auto text = read_string(4, [&](char* buffer, unsigned int size) {
    ++calls;
    if (size < 16) return answer(Errc::insufficient_size);
    std::memcpy(buffer, "eleven char", 12);
    return answer(Errc::success);
  });
  EXPECT_EQ(text.value(), "eleven char");
  EXPECT_EQ(calls, 3);
}

TEST(ReadString, GivesUpOnADriverThatIsNeverContent) {
  int calls = 0;
  const auto text = read_string(96, [&](char*, unsigned int) {
    ++calls;
    return answer(Errc::insufficient_size);
  });
  EXPECT_EQ(text.error().code(), Errc::insufficient_size);
  EXPECT_LT(calls, 20);
}

TEST(ReadStringInout, TakesTheSizeThatTheDriverAsksFor) {
  int calls = 0;
  const auto text = read_string_inout(4, [&](char* buffer, unsigned int* size) {
    ++calls;
    if (*size < 100) {
      *size = 100;
      return answer(Errc::insufficient_size);
    }
    std::memcpy(buffer, "long", 5);
    return answer(Errc::success);
  });
  EXPECT_EQ(text.value(), "long");
  EXPECT_EQ(calls, 2);
}

// A driver with a list of `size` numbers; `zero_ok`: asked with count 0 it answers SUCCESS and the count.
struct ListDriver {
  unsigned int size;
  bool zero_ok = false;
  unsigned int grows_by = 0;  // between two calls
  int calls = 0;

  Outcome operator()(unsigned int* count, unsigned int* array) {
    ++calls;
    const unsigned int capacity = *count;
    const unsigned int now = size;
    size += grows_by;
    *count = now;
    if (capacity == 0) {
      EXPECT_EQ(array, nullptr);
      return answer(zero_ok || now == 0 ? Errc::success : Errc::insufficient_size);
    }
    if (capacity < now) return answer(Errc::insufficient_size);
    for (unsigned int i = 0; i < now; ++i) array[i] = i;
    return answer(Errc::success);
  }
};

TEST(ReadList, EmptyNeedsOneCall) {
  ListDriver driver{0};
  EXPECT_TRUE(read_list<unsigned int>(std::ref(driver)).value().empty());
  EXPECT_EQ(driver.calls, 1);
}

TEST(ReadList, CountProbe) {
  ListDriver driver{3};
  EXPECT_EQ(read_list<unsigned int>(std::ref(driver)).value(), (std::vector<unsigned int>{0, 1, 2}));
  EXPECT_EQ(driver.calls, 2);
}

TEST(ReadList, CountZeroOk) {
  ListDriver driver{3, true};
  EXPECT_EQ(read_list<unsigned int>(std::ref(driver)).value(), (std::vector<unsigned int>{0, 1, 2}));
  EXPECT_EQ(driver.calls, 2);
}

TEST(ReadList, AListThatGrowsBetweenCallsIsReadWhole) {
  ListDriver driver{10, false, 8};
  const auto list = read_list<unsigned int>(std::ref(driver));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), driver.size - driver.grows_by);
}

TEST(ReadList, AListThatNeverStopsGrowingIsUnstable) {
  int calls = 0;
  const auto list = read_list<unsigned int>([&](unsigned int* count, unsigned int*) {
    ++calls;
    *count = *count * 2 + 100;
    return answer(Errc::insufficient_size);
  });
  EXPECT_EQ(list.error().code(), Errc::unstable_answer);
  EXPECT_EQ(calls, kMaxRounds);
}

TEST(ReadList, InsufficientSizeWithoutACountStillGrows) {
  const auto list = read_list<unsigned int>([](unsigned int* count, unsigned int* array) {
    if (*count < 20) return answer(Errc::insufficient_size);
    *count = 1;
    array[0] = 7;
    return answer(Errc::success);
  });
  EXPECT_EQ(list.value(), std::vector<unsigned int>{7});
}

TEST(ReadList, AnAbsurdCountIsMalformed) {
  const auto list = read_list<unsigned int>([](unsigned int* count, unsigned int*) {
    *count = ~0U;
    return answer(Errc::insufficient_size);
  });
  EXPECT_EQ(list.error().code(), Errc::malformed_answer);
}

TEST(ReadList, OtherErrorsPassThrough) {
  const auto list = read_list<unsigned int>([](unsigned int*, unsigned int*) { return answer(Errc::not_supported); });
  EXPECT_EQ(list.error().code(), Errc::not_supported);
  EXPECT_STREQ(list.error().function(), "nvmlDeviceGetAccountingPids");
}

// Some 535 drivers write entries that are a third longer than the caller's.
TEST(ReadList, LongerEntriesStayInsideTheBuffer) {
  struct Entry {
    char bytes[24];
  };
  const auto list = read_list<Entry>([](unsigned int* count, Entry* array) {
    if (!array) {
      *count = 5;
      return answer(Errc::insufficient_size);
    }
    std::memset(static_cast<void*>(array), 0x7f, std::size_t{32} * *count);  // address sanitizer watches
    *count = 5;
    return answer(Errc::success);
  });
  EXPECT_EQ(list.value().size(), 5u);
}

TEST(ReadKnown, TrimsToTheCount) {
  const auto list = read_known<int>([](unsigned int* count, int* array) {
    EXPECT_EQ(*count, kKnownCapacity);
    array[0] = 4;
    *count = 1;
    return answer(Errc::success);
  });
  EXPECT_EQ(list.value(), std::vector<int>{4});
}

TEST(ReadKnown, ACountAboveTheCapacityIsMalformed) {
  const auto list = read_known<int>([](unsigned int* count, int*) {
    *count = kKnownCapacity + 1;
    return answer(Errc::success);
  });
  EXPECT_EQ(list.error().code(), Errc::malformed_answer);
}

TEST(ReadFixed, PassesTheSize) {
  const auto list = read_fixed<unsigned long>(3, [](unsigned int size, unsigned long* array) {
    for (unsigned int i = 0; i < size; ++i) array[i] = i + 1;
    return answer(Errc::success);
  });
  EXPECT_EQ(list.value(), (std::vector<unsigned long>{1, 2, 3}));
}

Result<int> failing(Errc code, int* calls) {
  ++*calls;
  return Failure(code, "f");
}

TEST(NewestOf, FallsBackOnAMissingFunctionOrVersion) {
  for (const Errc code : {Errc::function_not_found, Errc::argument_version_mismatch}) {
    int calls = 0;
    EXPECT_EQ(newest_of([&] { return failing(code, &calls); }, [] { return Result<int>(5); }).value(), 5);
  }
}

TEST(NewestOf, NotSupportedIsAnAnswer) {
  int calls = 0, older = 0;
  const auto result =
      newest_of([&] { return failing(Errc::not_supported, &calls); }, [&] { return failing(Errc::success, &older); });
  EXPECT_EQ(result.error().code(), Errc::not_supported);
  EXPECT_EQ(older, 0);
}

TEST(NewestOf, ReportsTheNewestWhenNobodyIsThere) {
  const auto result = newest_of([] { return Result<int>(Failure(Errc::function_not_found, "newest")); },
                                [] { return Result<int>(Failure(Errc::function_not_found, "older")); });
  EXPECT_STREQ(result.error().function(), "newest");
}

TEST(Holds, ChecksTheRangeOfTheCType) {
  EXPECT_TRUE(holds<unsigned int>(Milliwatts(300000)));
  EXPECT_FALSE(holds<unsigned int>(Milliwatts(-1)));
  EXPECT_FALSE(holds<unsigned int>(Milliwatts(5'000'000'000LL)));
  EXPECT_TRUE(holds<int>(Megahertz(-200)));
}

}  // namespace
}  // namespace nvmlkit::nvml::detail
