// Each call protocol against drivers that lie: counts that change between calls, lengths that are garbage, texts
// without an end, sizes that do not fit, numbers that no enum has. Seeds are fixed; a failure names its seed.
#include <gtest/gtest.h>

#include <nvmlkit/detail/protocols.hpp>

#include "fake_table.hpp"
#include "liar.hpp"

namespace nvmlkit::nvml {
namespace {

using test::Liar;

constexpr unsigned int kSeeds = 4000;
// A driver is asked at most this often for one answer, whatever it says.
constexpr int kMostCalls = 32;

// Runs `work` with every seed.
template <class Work>
void with_seeds(Work work) {
  for (unsigned int seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Liar liar(seed);
    work(liar);
    ASSERT_LE(liar.calls, kMostCalls);
    if (testing::Test::HasFailure()) return;
  }
}

// A failure always says something, also with a number that has no name.
template <class T>
void check_failure(const Result<T>& result) {
  if (result) return;
  EXPECT_NE(result.error().code(), Errc::success);
  EXPECT_FALSE(result.error().message().empty());
  EXPECT_FALSE(name_of(result.error().code()).empty());
}

TEST(ProtocolProperty, StringWithLength) {
  with_seeds([](Liar& liar) {
    const std::size_t capacity = 1 + liar.number() % 200;
    const auto text = detail::read_string(capacity, [&](char* buffer, unsigned int size) {
      EXPECT_GE(size, capacity);
      EXPECT_LE(size, detail::kMaxStringBytes);
      liar.scribble(buffer, size);
      return liar.answer();
    });
    check_failure(text);
    if (text) {
      EXPECT_EQ(text->find('\0'), std::string::npos);
    }
  });
}

TEST(ProtocolProperty, StringWithLengthInAndOut) {
  with_seeds([](Liar& liar) {
    unsigned int last = 0;
    const auto text = detail::read_string_inout(1 + liar.number() % 200, [&](char* buffer, unsigned int* size) {
      EXPECT_LE(*size, detail::kMaxStringBytes);
      EXPECT_GT(*size, last) << "asking again with no more room cannot help";
      last = *size;
      liar.scribble(buffer, *size);
      if (liar.coin()) *size = liar.number();
      return liar.answer();
    });
    check_failure(text);
    if (text) {
      EXPECT_LE(text->size(), last);
    }
  });
}

struct Entry {
  unsigned char bytes[24];
};

TEST(ProtocolProperty, CountThenFill) {
  with_seeds([](Liar& liar) {
    std::size_t told = 0, largest = 0;
    const auto list = detail::read_list<Entry>([&](unsigned int* count, Entry* array) {
      told = *count;
      largest = std::max(largest, told);
      EXPECT_EQ(array == nullptr, told == 0);
      EXPECT_LE(told, 2 * detail::kMaxListBytes / sizeof(Entry));
      // A driver that writes into a null array with room 0 is beyond help; all others write what they were told.
      if (array) liar.scribble(array, std::min<std::size_t>(told, 4096) * sizeof(Entry));
      if (liar.coin()) *count = liar.number() % (1U << 12);  // the test would only spend its time on larger ones
      if (liar.coin() && liar.coin()) *count = ~0U;
      return liar.answer();
    });
    check_failure(list);
    if (list) {
      EXPECT_LE(list->size(), told) << "entries that the driver had no room for";
    }
  });
}

TEST(ProtocolProperty, KnownCapacity) {
  with_seeds([](Liar& liar) {
    const auto list = detail::read_known<Entry>([&](unsigned int* count, Entry* array) {
      EXPECT_EQ(*count, detail::kKnownCapacity);
      liar.scribble(array, *count * sizeof(Entry));
      *count = liar.number();
      return liar.answer();
    });
    check_failure(list);
    if (list) {
      EXPECT_LE(list->size(), detail::kKnownCapacity);
    }
  });
}

TEST(ProtocolProperty, FixedSize) {
  with_seeds([](Liar& liar) {
    const std::size_t size = liar.number() % 300;
    const auto list = detail::read_fixed<Entry>(size, [&](unsigned int count, Entry* array) {
      liar.scribble(array, count * sizeof(Entry));
      return liar.answer();
    });
    check_failure(list);
    if (list) {
      EXPECT_EQ(list->size(), size);
    }
  });
}

TEST(ProtocolProperty, ChainsAnswerWithTheFirstThatCan) {
  with_seeds([](Liar& liar) {
    Errc codes[3];
    int asked = 0;
    const auto step = [&](int place) {
      return [&, place]() -> Result<int> {
        EXPECT_EQ(asked++, place) << "each once, newest first";
        codes[place] = liar.coin() ? Errc::function_not_found : liar.code();
        ++liar.calls;
        if (codes[place] == Errc::success) return place;
        return Failure(codes[place], "f");
      };
    };
    const auto result = detail::newest_of(step(0), step(1), step(2));
    const auto passes_on = [](Errc code) {
      return code == Errc::function_not_found || code == Errc::argument_version_mismatch;
    };
    int decisive = 0;
    while (decisive < 3 && passes_on(codes[decisive])) ++decisive;
    EXPECT_EQ(asked, std::min(decisive + 1, 3));
    if (decisive == 3) {
      EXPECT_EQ(result.error().code(), codes[0]);
    } else if (codes[decisive] == Errc::success) {
      EXPECT_EQ(result.value(), decisive);
    } else {
      EXPECT_EQ(result.error().code(), codes[decisive]);
    }
  });
}

// The same liar behind real methods, one for each protocol that the generator emits: garbage in every struct and enum.
Liar* current = nullptr;

abi::nvmlReturn_t lie() { return static_cast<abi::nvmlReturn_t>(current->answer().code); }

template <class T>
abi::nvmlReturn_t lie_about(T* out) {
  static_assert(std::is_trivially_copyable_v<T>);
  current->scribble(out, sizeof(T));
  return lie();
}

Table lying_table() {
  using namespace abi;
  Table table = test::fake_table();
  table.DeviceGetName = [](nvmlDevice_t, char* name, unsigned int size) {
    current->scribble(name, size);
    return lie();
  };
  table.DeviceGetUUID = table.DeviceGetName;
  table.DeviceGetBrand = [](nvmlDevice_t, nvmlBrandType_t* brand) {
    const unsigned int number = current->number();  // into the enum as the driver would: by its bytes
    std::memcpy(brand, &number, sizeof number);
    return lie();
  };
  table.DeviceGetMemoryInfo_v2 = [](nvmlDevice_t, nvmlMemory_v2_t* memory) {
    EXPECT_EQ(memory->version, version_tag<nvmlMemory_v2_t>);
    return lie_about(memory);
  };
  table.DeviceGetMemoryInfo = [](nvmlDevice_t, nvmlMemory_t* memory) { return lie_about(memory); };
  table.DeviceGetPowerUsage = [](nvmlDevice_t, unsigned int* power) { return lie_about(power); };
  table.DeviceGetAccountingPids = [](nvmlDevice_t, unsigned int* count, unsigned int* pids) {
    if (pids) current->scribble(pids, std::min(*count, 4096U) * sizeof *pids);
    if (current->coin()) *count = current->number() % (1U << 12);
    return lie();
  };
  table.DeviceGetComputeRunningProcesses_v3 = [](nvmlDevice_t, unsigned int* count, nvmlProcessInfo_t* infos) {
    if (infos) current->scribble(infos, std::min(*count, 4096U) * sizeof *infos);
    if (current->coin()) *count = current->number() % (1U << 12);
    return lie();
  };
  table.DeviceGetSupportedPerformanceStates = [](nvmlDevice_t, nvmlPstates_t* states, unsigned int size) {
    current->scribble(states, size);
    return lie();
  };
  table.DeviceGetSamples = [](nvmlDevice_t, nvmlSamplingType_t, unsigned long long, nvmlValueType_t* type,
                              unsigned int* count, nvmlSample_t* samples) {
    current->scribble(type, sizeof *type);
    if (samples) current->scribble(samples, std::min(*count, 4096U) * sizeof *samples);
    if (current->coin()) *count = current->number() % (1U << 12);
    return lie();
  };
  table.DeviceGetRetiredPages_v2 = [](nvmlDevice_t, nvmlPageRetirementCause_t, unsigned int* count,
                                      unsigned long long* addresses, unsigned long long* times) {
    if (addresses) current->scribble(addresses, std::min(*count, 4096U) * sizeof *addresses);
    if (times) current->scribble(times, std::min(*count, 4096U) * sizeof *times);
    if (current->coin()) *count = current->number() % (1U << 12);
    return lie();
  };
  table.DeviceGetFieldValues = [](nvmlDevice_t, int count, nvmlFieldValue_t* values) {
    current->scribble(values, static_cast<std::size_t>(count) * sizeof *values);
    return lie();
  };
  table.DeviceGetRemappedRows_v2 = nullptr;
  table.DeviceGetGspFirmwareVersion = [](nvmlDevice_t, char* version) {
    current->scribble(version, GSP_FIRMWARE_VERSION_BUF_SIZE);
    return lie();
  };
  return table;
}

TEST(ProtocolProperty, MethodsOfALyingDriver) {
  const Library library = Library::from_table(lying_table()).value();
  const Device device = library.device(0).value();
  for (unsigned int seed = 1; seed <= kSeeds / 4; ++seed) {
    SCOPED_TRACE(seed);
    Liar liar(seed);
    current = &liar;
    check_failure(device.name());
    check_failure(device.uuid());
    const auto brand = device.brand();
    check_failure(brand);
    check_failure(device.power_usage());
    check_failure(device.accounting_pids());
    check_failure(device.compute_running_processes());
    check_failure(device.supported_performance_states());
    check_failure(device.samples(SamplingType::gpu_utilization));
    check_failure(device.retired_pages(PageRetirementCause::double_bit_ecc_error));
    check_failure(device.gsp_firmware_version());
    check_failure(device.memory_info());
    const FieldQuery queries[] = {{FieldId::dev_ecc_current}, {FieldId::dev_memory_temp}, {FieldId::dev_power_average}};
    const auto values = device.field_values(queries);
    check_failure(values);
    if (values) {
      EXPECT_EQ(values->size(), 3u);
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace nvmlkit::nvml
