#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <thread>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

using test::driver;
using test::gpu0;

// Answers with its own number where it is asked for a GPU's index.
class Answering : public Hook {
 public:
  explicit Answering(unsigned int index) : index_(index) {}
  Word on_call(const Call& call) noexcept override {
    if (call.symbol() != symbol_index(&Table::DeviceGetIndex)) return call.forward();
    *reinterpret_cast<unsigned int*>(call.arguments()[1]) = index_;
    return abi::NVML_SUCCESS;
  }

 private:
  unsigned int index_;
};

TEST(Wrap, PassesArgumentsAndResultsThrough) {
  const Table inner = driver();
  const auto wrapped = wrap(inner, std::make_shared<SerializingLock>()).value();
  char name[16];
  EXPECT_EQ(wrapped.table().DeviceGetName(gpu0, name, sizeof name), abi::NVML_SUCCESS);
  EXPECT_STREQ(name, "GPU 0");
  EXPECT_EQ(wrapped.table().DeviceGetName(gpu0, name, 2), abi::NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_STREQ(wrapped.table().ErrorString(abi::NVML_SUCCESS), "a text");
}

TEST(Wrap, KeepsWhatIsMissingMissing) {
  const Table inner = driver();
  const auto wrapped = wrap(inner, std::make_shared<SerializingLock>()).value();
  std::size_t present = 0;
  for (const Symbol& symbol : symbols()) {
    void* before = nullptr;
    void* after = nullptr;
    std::memcpy(&before, reinterpret_cast<const char*>(&inner) + symbol.offset, sizeof before);
    std::memcpy(&after, reinterpret_cast<const char*>(&wrapped.table()) + symbol.offset, sizeof after);
    EXPECT_EQ(before == nullptr, after == nullptr) << symbol.name;
    EXPECT_TRUE(!before || before != after) << symbol.name << " is not wrapped";
    present += before != nullptr;
  }
  EXPECT_EQ(present, 12u);
}

// Every thunk of every symbol hands over as many arguments as the function has, in their order.
TEST(Wrap, EverySymbolReachesItsHook) {
  struct Seen : Hook {
    std::size_t symbol = SIZE_MAX;
    Word on_call(const Call& call) noexcept override {
      symbol = call.symbol();
      return abi::NVML_ERROR_TIMEOUT;
    }
  };
  Table everything;
  for (const Symbol& symbol : symbols()) {
    void (*nothing)() = [] {};
    std::memcpy(reinterpret_cast<char*>(&everything) + symbol.offset, &nothing, sizeof nothing);
  }
  const auto seen = std::make_shared<Seen>();
  const auto wrapped = wrap(everything, seen).value();
  const Word words[8] = {};
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    if (i == symbol_index(&Table::InternalGetExportTable)) continue;
    EXPECT_EQ(static_cast<int>(invoke(wrapped.table(), i, words)), abi::NVML_ERROR_TIMEOUT) << symbols()[i].name;
    EXPECT_EQ(seen->symbol, i) << symbols()[i].name;
  }
}

TEST(Wrap, TablesLiveBesideEachOther) {
  const auto first = wrap(driver(), std::make_shared<Answering>(7)).value();
  const auto second = wrap(driver(), std::make_shared<Answering>(8)).value();
  unsigned int index = 0;
  first.table().DeviceGetIndex(gpu0, &index);
  EXPECT_EQ(index, 7u);
  second.table().DeviceGetIndex(gpu0, &index);
  EXPECT_EQ(index, 8u);
}

TEST(Wrap, RefusesWhenAllPlacesAreTaken) {
  std::vector<Wrapped> taken;
  for (std::size_t i = 0; i < kWrapLimit; ++i)
    taken.push_back(wrap(driver(), std::make_shared<SerializingLock>()).value());
  const auto refused = wrap(driver(), std::make_shared<SerializingLock>());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::insufficient_resources);
  EXPECT_NE(refused.error().message().find("16"), std::string::npos) << refused.error().message();
  taken.pop_back();
  EXPECT_TRUE(wrap(driver(), std::make_shared<SerializingLock>()));
}

TEST(Wrap, ATableThatOutlivesItsOwnerAnswersAnError) {
  Table left;
  {
    const auto wrapped = wrap(driver(), std::make_shared<SerializingLock>()).value();
    left = wrapped.table();
  }
  unsigned int index = 0;
  EXPECT_EQ(left.DeviceGetIndex(gpu0, &index), abi::NVML_ERROR_UNINITIALIZED);
  EXPECT_STREQ(left.ErrorString(abi::NVML_SUCCESS), "");
}

TEST(Wrap, MovingKeepsTheTable) {
  auto first = wrap(driver(), std::make_shared<Answering>(7)).value();
  const Table table = first.table();
  const Wrapped second = std::move(first);
  unsigned int index = 0;
  EXPECT_EQ(table.DeviceGetIndex(gpu0, &index), abi::NVML_SUCCESS);
  EXPECT_EQ(index, 7u);
}

TEST(CallLog, SaysFunctionArgumentsResult) {
  std::vector<std::string> lines;
  std::ostringstream stream;
  const auto log = wrap(driver(), std::make_shared<CallLog>(stream)).value();
  const Table& table = log.table();
  char name[16];
  unsigned int count = 1, milliwatts = 0;
  abi::nvmlProcessInfo_t infos[4];
  abi::nvmlMemory_v2_t memory{};
  memory.version = 0x02000028u;
  table.DeviceGetName(gpu0, name, sizeof name);
  table.DeviceGetName(gpu0, name, 1);
  table.DeviceGetPowerUsage(gpu0, &milliwatts);
  table.DeviceGetComputeRunningProcesses_v3(gpu0, &count, infos);
  count = 4;
  table.DeviceGetComputeRunningProcesses_v3(gpu0, &count, infos);
  table.DeviceGetMemoryInfo_v2(gpu0, &memory);
  std::istringstream written(stream.str());
  for (std::string line; std::getline(written, line);) lines.push_back(line.substr(0, line.rfind(',')));
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "nvmlDeviceGetName(device=0x1000, name=\"GPU 0\", length=16) = success",
                "nvmlDeviceGetName(device=0x1000, name=?, length=1) = insufficient_size",
                "nvmlDeviceGetPowerUsage(device=0x1000, power=100000) = success",
                "nvmlDeviceGetComputeRunningProcesses_v3(device=0x1000, infoCount=2, infos=[2 x 24 bytes]) = "
                "insufficient_size",
                "nvmlDeviceGetComputeRunningProcesses_v3(device=0x1000, infoCount=2, infos=[2 x 24 bytes]) = success",
                "nvmlDeviceGetMemoryInfo_v2(device=0x1000, memory={40 bytes}) = success",
            }));
}

TEST(Latency, CountsAndMeasures) {
  Table inner = driver();
  inner.DeviceGetIndex = [](abi::nvmlDevice_t, unsigned int*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return abi::NVML_SUCCESS;
  };
  const auto histogram = std::make_shared<LatencyHistogram>();
  const auto wrapped = wrap(inner, histogram).value();
  unsigned int value = 0;
  for (int i = 0; i < 5; ++i) wrapped.table().DeviceGetIndex(gpu0, &value);
  wrapped.table().DeviceGetPowerUsage(gpu0, &value);
  const auto summary = histogram->summary();
  ASSERT_EQ(summary.size(), 2u);
  const Latency index = histogram->of("nvmlDeviceGetIndex");
  EXPECT_EQ(index.count, 5u);
  EXPECT_GE(index.min, std::chrono::milliseconds(2));
  EXPECT_LE(index.min, index.p50);
  EXPECT_LE(index.p50, index.p99);
  EXPECT_LE(index.p99, index.max);
  EXPECT_LE(index.min, index.mean);
  EXPECT_LE(index.mean, index.max);
  EXPECT_EQ(histogram->of("nvmlDeviceGetPowerUsage").count, 1u);
  EXPECT_EQ(histogram->of("nvmlDeviceGetName").count, 0u);
}

// Log over faults over the driver, through the idiomatic classes.
TEST(Nesting, TheLogSeesWhatTheFaultsAnswer) {
  const auto faults = FaultInjector::create({{.function = "nvmlDeviceGetName", .result = Errc::gpu_is_lost}}).value();
  const auto histogram = std::make_shared<LatencyHistogram>();
  std::vector<Errc> results;
  const auto log = std::make_shared<CallLog>([&](const LoggedCall& call) {
    if (std::strcmp(call.function, "nvmlDeviceGetName") == 0) results.push_back(call.result);
  });
  const auto failing = wrap(driver(), faults).value();
  const auto timed = wrap(failing.table(), histogram).value();
  const auto logged = wrap(timed.table(), log).value();
  {
    const Library library = Library::from_table(logged.table()).value();
    EXPECT_EQ(library.device(1).value().name().error().code(), Errc::gpu_is_lost);
  }
  EXPECT_EQ(results, std::vector{Errc::gpu_is_lost});
  EXPECT_EQ(test::name_calls, 0);
  EXPECT_EQ(faults->count(0), 1u);
  EXPECT_EQ(histogram->of("nvmlDeviceGetName").count, 1u);
  EXPECT_EQ(histogram->of("nvmlShutdown").count, 1u);
  EXPECT_EQ(nvml::test::shutdowns, 1);
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
