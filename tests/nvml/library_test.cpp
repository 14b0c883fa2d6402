#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::fake_table;

TEST(Library, InitAndShutdownBalance) {
  const Table table = fake_table();
  {
    const Library library = Library::from_table(table).value();
    const Library copy = library;
    EXPECT_EQ(test::inits, 1);
    EXPECT_EQ(test::shutdowns, 0);
  }
  EXPECT_EQ(test::shutdowns, 1);
}

TEST(Library, ADeviceKeepsItOpen) {
  const Table table = fake_table();
  {
    const Device device = Library::from_table(table).value().device(1).value();
    EXPECT_EQ(test::shutdowns, 0);
    EXPECT_EQ(device.index().value(), 1u);
  }
  EXPECT_EQ(test::shutdowns, 1);
}

TEST(Library, CloseShutsDownOnceAndDevicesAnswerAnError) {
  Library library = Library::from_table(fake_table()).value();
  const Device device = library.device(0).value();
  EXPECT_TRUE(library.close());
  EXPECT_EQ(test::shutdowns, 1);
  EXPECT_EQ(device.index().error().code(), Errc::library_closed);
  EXPECT_EQ(library.close().error().code(), Errc::library_closed);
  EXPECT_EQ(test::shutdowns, 1);
}

TEST(Library, AClosedLibraryStaysClosedBesideANewOne) {
  Library first = Library::from_table(fake_table()).value();
  const Device device = first.device(0).value();
  EXPECT_TRUE(first.close());
  const Library second = Library::from_table(fake_table()).value();
  EXPECT_TRUE(second.device(0).value().index());
  EXPECT_EQ(device.index().error().code(), Errc::library_closed);
}

Table table_of_removals() {
  Table table = fake_table();
  table.DeviceRemoveGpu_v2 = [](abi::nvmlPciInfo_t* pci, abi::nvmlDetachGpuState_t, abi::nvmlPcieLinkState_t) {
    return pci->bus < 2 ? abi::NVML_SUCCESS : abi::NVML_ERROR_IN_USE;
  };
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* count, abi::nvmlProcessInfo_t*) {
    *count = 0;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetTopologyCommonAncestor = [](abi::nvmlDevice_t, abi::nvmlDevice_t, abi::nvmlGpuTopologyLevel_t*) {
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetTargetFanSpeed = [](abi::nvmlDevice_t, unsigned int, unsigned int*) { return abi::NVML_SUCCESS; };
  table.DeviceGetNumFans = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = 1;
    return abi::NVML_SUCCESS;
  };
  return table;
}

TEST(Library, ARemovedGpuIsStaleAndItsSuccessorIsNot) {
  const Library library = Library::from_table(table_of_removals()).value();
  const Device other = library.device(0).value(), removed = library.device(1).value();
  const Fan fan = removed.fans().value()[0];
  PciInfo address;
  address.bus = 2;
  EXPECT_EQ(library.remove_gpu(address).error().code(), Errc::in_use);
  EXPECT_TRUE(removed.index());
  address.bus = 1;
  ASSERT_TRUE(library.remove_gpu(address));

  const Device copy = removed;
  EXPECT_EQ(copy.index().error().code(), Errc::stale_handle);
  EXPECT_STREQ(copy.index().error().function(), "nvmlDeviceGetIndex");
  EXPECT_EQ(copy.compute_running_processes().error().code(), Errc::stale_handle);
  EXPECT_EQ(fan.target_speed().error().code(), Errc::stale_handle);
  EXPECT_EQ(fan.device().index().error().code(), Errc::stale_handle);
  EXPECT_EQ(other.topology_common_ancestor(removed).error().code(), Errc::stale_handle);
  EXPECT_EQ(library.call(&Table::DeviceGetIndex, removed.held(), nullptr).error().code(), Errc::stale_handle);
  // What the driver lacks it lacks as before, and other GPUs and the library go on.
  EXPECT_EQ(other.serial().error().code(), Errc::function_not_found);
  EXPECT_TRUE(other.index());
  EXPECT_TRUE(library.device_count());

  // Found again, behind the handle of before.
  const Device successor = library.device(1).value();
  EXPECT_EQ(successor.handle(), removed.handle());
  EXPECT_EQ(successor.index().value(), 1u);
  EXPECT_EQ(removed.index().error().code(), Errc::stale_handle);
  ASSERT_TRUE(library.remove_gpu(address));
  EXPECT_EQ(successor.index().error().code(), Errc::stale_handle);
}

TEST(Library, ADestroyedInstanceIsStale) {
  Table table = fake_table();
  table.GpuInstanceDestroy = [](abi::nvmlGpuInstance_t) { return abi::NVML_SUCCESS; };
  table.GpuInstanceGetInfo = [](abi::nvmlGpuInstance_t, abi::nvmlGpuInstanceInfo_t*) { return abi::NVML_SUCCESS; };
  const Library library = Library::from_table(table).value();
  const auto handle = reinterpret_cast<abi::nvmlGpuInstance_t>(std::uintptr_t{0x2000});
  const GpuInstance instance(library.session(), handle), copy = instance;
  EXPECT_TRUE(copy.info());
  ASSERT_TRUE(instance.destroy());
  EXPECT_EQ(copy.info().error().code(), Errc::stale_handle);
  EXPECT_EQ(copy.destroy().error().code(), Errc::stale_handle);
  EXPECT_TRUE(GpuInstance(library.session(), handle).info());
}

TEST(Library, FailedInitIsNotShutDown) {
  Table table = fake_table();
  table.Init_v2 = [] { return abi::NVML_ERROR_DRIVER_NOT_LOADED; };
  const auto library = Library::from_table(table);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Errc::driver_not_loaded);
  EXPECT_STREQ(library.error().function(), "nvmlInit_v2");
  EXPECT_EQ(test::shutdowns, 0);
}

TEST(Library, FallsBackToTheOldInit) {
  Table table = fake_table();
  table.Init = table.Init_v2;
  table.Init_v2 = nullptr;
  EXPECT_TRUE(Library::from_table(table));
  EXPECT_EQ(test::inits, 1);
}

TEST(Library, FlagsGoToInitWithFlags) {
  static unsigned int seen = 0;
  Table table = fake_table();
  EXPECT_EQ(Library::from_table(table, InitFlag::no_attach).error().code(), Errc::function_not_found);
  table.InitWithFlags = [](unsigned int flags) {
    seen = flags;
    return abi::NVML_SUCCESS;
  };
  EXPECT_TRUE(Library::from_table(table, InitFlag::no_attach | InitFlag::no_gpus));
  EXPECT_EQ(seen, static_cast<unsigned int>(abi::INIT_FLAG_NO_ATTACH | abi::INIT_FLAG_NO_GPUS));
}

TEST(Library, AnEmptyTableIsAnErrorAndNoCrash) {
  EXPECT_EQ(Library::from_table(Table{}).error().code(), Errc::function_not_found);
}

TEST(Library, AMissingFunctionNamesItsSymbolAndHeader) {
  const Library library = Library::from_table(fake_table()).value();
  const auto info = library.device(0).value().pci_info_ext();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code(), Errc::function_not_found);
  const std::string message = info.error().message();
  EXPECT_NE(message.find("nvmlDeviceGetPciInfoExt"), std::string::npos) << message;
  EXPECT_NE(message.find("12.4.127"), std::string::npos) << message;
}

TEST(Library, ALostGpuHidesNoOther) {
  Table table = fake_table();
  table.DeviceGetCount_v2 = [](unsigned int* count) {
    *count = 3;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetHandleByIndex_v2 = [](unsigned int index, abi::nvmlDevice_t* device) {
    if (index == 1) return abi::NVML_ERROR_GPU_IS_LOST;
    *device = test::device_handle(index);
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  std::vector<Errc> codes;
  const DeviceRange devices = library.devices().value();
  for (const auto& device : devices) codes.push_back(device ? Errc::success : device.error().code());
  EXPECT_EQ(codes, (std::vector<Errc>{Errc::success, Errc::gpu_is_lost, Errc::success}));
}

TEST(Library, OlderCountAndHandleStillAnswer) {
  Table table = fake_table();
  table.DeviceGetCount = table.DeviceGetCount_v2;
  table.DeviceGetHandleByIndex = table.DeviceGetHandleByIndex_v2;
  table.DeviceGetCount_v2 = nullptr;
  table.DeviceGetHandleByIndex_v2 = nullptr;
  const Library library = Library::from_table(table).value();
  EXPECT_EQ(library.device_count().value(), 2u);
  EXPECT_EQ(library.device(1).value().index().value(), 1u);
}

TEST(Library, AnyFunctionCanBeCalled) {
  const Library library = Library::from_table(fake_table()).value();
  unsigned int index = 9;
  EXPECT_TRUE(library.call(&Table::DeviceGetIndex, library.device(1).value().handle(), &index));
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(library.call(&Table::DeviceValidateInforom, test::device_handle(0)).error().code(),
            Errc::function_not_found);
}

TEST(Library, AForkedChildGetsAnErrorAndDoesNotShutDown) {
  auto library = std::make_unique<Library>(Library::from_table(fake_table()).value());
  const Device device = library->device(0).value();
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 0;
    if (device.index().error().code() != Errc::forked) status |= 1;
    if (library->close().error().code() != Errc::forked) status |= 2;
    library.reset();
    if (test::shutdowns != 0) status |= 4;
    const auto again = Library::from_table(fake_table());
    if (!again || !again->device(0).value().index()) status |= 8;
    ::_exit(status);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(device.index());
}

}  // namespace
}  // namespace nvmlkit::nvml
