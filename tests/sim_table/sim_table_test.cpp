#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nvmlkit/interpose.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <sstream>
#include <thread>

namespace nvmlkit::sim {
namespace {

using nvml::Errc;
using nvml::Library;

constexpr const char* kText = "version: \"1.0\"\nbase: t4\ndevice_defaults:\n  name: Odd GPU\n";

TEST(SimTable, ABuiltInMachine) {
  const auto driver = SimulatedDriver::create("h100").value();
  const auto library = Library::from_table(driver.table()).value();
  EXPECT_EQ(library.device_count().value(), 8u);
  EXPECT_EQ(library.device(7).value().name().value(), "NVIDIA H100 80GB HBM3");
}

TEST(SimTable, HasEverySymbolButOne) {
  const auto driver = SimulatedDriver::create("t4").value();
  for (const auto& symbol : nvml::symbols()) {
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&driver.table()) + symbol.offset, sizeof function);
    EXPECT_EQ(function == nullptr, symbol.name == std::string("nvmlInternalGetExportTable")) << symbol.name;
  }
}

TEST(SimTable, ATextAndAFile) {
  const std::string path = testing::TempDir() + "/odd_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << kText;
  for (const std::string& machine : {std::string(kText), path}) {
    const auto driver = SimulatedDriver::create(machine, {.gpu_count = 2}).value();
    const auto library = Library::from_table(driver.table()).value();
    EXPECT_EQ(library.device_count().value(), 2u);
    EXPECT_EQ(library.device(1).value().name().value(), "Odd GPU");
  }
}

TEST(SimTable, MistakesAreSaid) {
  const auto message_of = [](const std::string& machine, const SimulationOptions& options = {}) {
    const auto driver = SimulatedDriver::create(machine, options);
    EXPECT_FALSE(driver);
    if (driver) return std::string();
    EXPECT_EQ(driver.error().code(), Errc::invalid_argument);
    return driver.error().message();
  };
  EXPECT_NE(message_of("h1000").find("h100"), std::string::npos);
  EXPECT_NE(message_of("/nonexistent/machine.yaml").find("/nonexistent/machine.yaml"), std::string::npos);
  EXPECT_NE(message_of("version: \"1.0\"\nbase: t4\ndevice_defaults:\n  nane: x\n").find("machine:4:3"),
            std::string::npos);
  for (const char* machine : {"t4", kText})
    EXPECT_NE(message_of(machine, {.driver = "abc"}).find("535, 550"), std::string::npos);
  for (const char* machine : {"t4", kText})
    EXPECT_NE(message_of(machine, {.time = "slow"}).find("virtual"), std::string::npos);
}

TEST(SimTable, TimeMayStandFromTheStart) {
  for (const char* machine : {"h100", kText}) {
    auto driver = SimulatedDriver::create(machine, {.time = "virtual"}).value();
    const auto library = Library::from_table(driver.table()).value();
    const auto gpu = library.device(0).value();
    const auto energy = gpu.total_energy_consumption().value();
    EXPECT_EQ(gpu.total_energy_consumption().value(), energy);
    driver.steer("time advance 10s").value();
    EXPECT_GT(gpu.total_energy_consumption().value(), energy);
  }
}

TEST(SimTable, IsSteeredInTheWordsOfTheCommand) {
  auto driver = SimulatedDriver::create("h100", {.gpu_count = 2}).value();
  const auto library = Library::from_table(driver.table()).value();
  const auto gpu = library.device(0).value();
  const auto celsius = [&] { return gpu.temperature(nvml::TemperatureSensor::gpu).value(); };
  for (const char* words : {"time virtual", "load gpu=0 80% --memory 40% --for 60s", "time advance 30s"})
    ASSERT_TRUE(driver.steer(words)) << words;
  EXPECT_EQ(gpu.utilization_rates().value().gpu, nvml::Percent(80));
  EXPECT_GT(gpu.power_usage().value(), nvml::Milliwatts(500'000));
  EXPECT_GT(celsius(), nvml::Celsius(45));
  EXPECT_EQ(library.device(1).value().utilization_rates().value().gpu, nvml::Percent(0));
  driver.steer("time advance 31s").value();
  EXPECT_EQ(gpu.utilization_rates().value().gpu, nvml::Percent(0));
  driver.steer("set gpu=0 thermal.gpu=85 power.limit=400000").value();
  EXPECT_EQ(celsius(), nvml::Celsius(85));
  EXPECT_EQ(gpu.power_management_limit().value(), nvml::Milliwatts(400'000));
  driver.steer("release gpu=0 thermal.gpu").value();
  driver.steer("time advance 2s").value();
  EXPECT_LT(celsius(), nvml::Celsius(85));
  driver.steer("fault gpu=1 lost").value();
  EXPECT_FALSE(library.device(1));
  driver.steer("heal gpu=1").value();
  EXPECT_TRUE(library.device(1));
  for (const char* wrong :
       {"", "sett gpu=0 power.limit=300000", "set", "set gpu=0", "set gpu=2 power.limit=300000",
        "set gpu=0 power.limit=300000 nothing=1", "set gpu=0 power.limit=1", "load gpu=0", "load gpu=0 180%",
        "load gpu=0 off --for 1s", "load gpu=0 5% --for", "load gpu=0 5% --spin 1", "release gpu=0 name",
        "release gpu=0 all more", "time", "time backwards", "time advance", "fault gpu=0", "heal"}) {
    const auto refused = driver.steer(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument) << wrong;
  }
  EXPECT_EQ(gpu.power_management_limit().value(), nvml::Milliwatts(400'000)) << "nothing has changed";
}

TEST(SimTable, TheEnvironmentIsNotLookedAt) {
  setenv("NVMLKIT_MACHINE", "h100", 1);
  setenv("NVMLKIT_GPU_COUNT", "1", 1);
  setenv("NVMLKIT_DRIVER", "535", 1);
  const auto driver = SimulatedDriver::create("t4").value();
  const auto library = Library::from_table(driver.table()).value();
  EXPECT_EQ(library.device_count().value(), 4u);
  char version[80];
  EXPECT_EQ(driver.table().SystemGetDriverVersion(version, sizeof version), abi::NVML_SUCCESS);
  EXPECT_STREQ(version, "550.163.01");
  for (const char* name : {"NVMLKIT_MACHINE", "NVMLKIT_GPU_COUNT", "NVMLKIT_DRIVER"}) unsetenv(name);
}

TEST(SimTable, TwoMachinesShareNothing) {
  const auto first = SimulatedDriver::create("h100").value();
  const auto second = SimulatedDriver::create("t4").value();
  const auto hopper = Library::from_table(first.table()).value();
  const auto turing = Library::from_table(second.table()).value();
  EXPECT_EQ(hopper.device_count().value(), 8u);
  EXPECT_EQ(turing.device_count().value(), 4u);
  EXPECT_EQ(turing.device(0).value().name().value(), "Tesla T4");
  const auto foreign = hopper.device(0).value().handle();
  char name[96];
  EXPECT_EQ(second.table().DeviceGetName(foreign, name, sizeof name), abi::NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(first.table().DeviceGetName(foreign, name, sizeof name), abi::NVML_SUCCESS);
}

TEST(SimTable, InitIsCountedPerMachine) {
  const auto first = SimulatedDriver::create("t4").value();
  const auto second = SimulatedDriver::create("t4").value();
  unsigned int count = 0;
  EXPECT_EQ(first.table().Init_v2(), abi::NVML_SUCCESS);
  EXPECT_EQ(second.table().DeviceGetCount_v2(&count), abi::NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(first.table().DeviceGetCount_v2(&count), abi::NVML_SUCCESS);
  EXPECT_EQ(first.table().Shutdown(), abi::NVML_SUCCESS);
  EXPECT_EQ(first.table().Shutdown(), abi::NVML_ERROR_UNINITIALIZED);
  char version[80];
  EXPECT_EQ(second.table().SystemGetNVMLVersion(version, sizeof version), abi::NVML_SUCCESS);
  EXPECT_STREQ(version, "12.550.163.01");
}

TEST(SimTable, ThreadsOnTwoMachines) {
  const auto first = SimulatedDriver::create("h100").value();
  const auto second = SimulatedDriver::create("t4").value();
  const auto hopper = Library::from_table(first.table()).value();
  const auto turing = Library::from_table(second.table()).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n)
        EXPECT_EQ((i % 2 ? hopper : turing).device(1).value().name().value(),
                  i % 2 ? "NVIDIA H100 80GB HBM3" : "Tesla T4");
    });
  for (auto& thread : threads) thread.join();
}

TEST(SimTable, IsWrappedAndRecorded) {
  namespace interpose = nvml::interpose;
  std::ostringstream trace;
  std::string seen;
  {
    const auto driver = SimulatedDriver::create("t4").value();
    const auto recorder = std::make_shared<interpose::Recorder>(driver.table(), trace);
    const auto recorded = interpose::wrap(driver.table(), recorder).value();
    seen = Library::from_table(recorded.table()).value().device(2).value().uuid().value();
  }
  std::istringstream stream(trace.str());
  const auto replay = interpose::Replay::from_stream(stream).value();
  EXPECT_EQ(Library::from_table(replay.table()).value().device(2).value().uuid().value(), seen);
  EXPECT_TRUE(replay.unmatched().empty());
}

TEST(SimTable, RefusesWhenAllPlacesAreTaken) {
  std::vector<SimulatedDriver> drivers;
  for (std::size_t i = 0; i < nvml::interpose::kWrapLimit; ++i)
    drivers.push_back(SimulatedDriver::create("t4").value());
  EXPECT_EQ(SimulatedDriver::create("t4").error().code(), Errc::insufficient_resources);
}

TEST(SimTable, FaultsAreInjectedAndMended) {
  auto driver = SimulatedDriver::create("h100").value();
  const auto library = nvml::Library::from_table(driver.table()).value();
  const auto gpu = library.device(0).value();
  EXPECT_TRUE(gpu.temperature_reading(nvml::TemperatureSensor::gpu) || gpu.name());
  ASSERT_TRUE(driver.raise_xid(0, 79));
  const auto lost = gpu.name();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), nvml::Errc::gpu_is_lost);
  ASSERT_TRUE(driver.heal("gpu=0"));
  EXPECT_TRUE(gpu.name());
  const auto refused = driver.inject("gpu=0 explode");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), nvml::Errc::invalid_argument);
}

}  // namespace
}  // namespace nvmlkit::sim
