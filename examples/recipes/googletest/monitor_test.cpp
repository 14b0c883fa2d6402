// A monitor on simulated GPUs, in the process of the test. nvmlkit is in PATH. NVIDIA's header would do in place of the
// types.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// The program under test: the temperature of each GPU, -1 for a GPU that is lost.
class Monitor {
 public:
  explicit Monitor(const std::string& library) : library_(dlopen(library.c_str(), RTLD_NOW)) {
    if (library_ == nullptr || call<int()>("nvmlInit_v2")() != 0) throw std::runtime_error("no driver: " + library);
  }
  ~Monitor() { call<int()>("nvmlShutdown")(); }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  std::vector<int> temperatures() const {
    unsigned count = 0;
    call<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count);
    std::vector<int> out;
    for (unsigned index = 0; index < count; ++index) {
      void* gpu = nullptr;
      unsigned degrees = 0;
      const bool good = call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(index, &gpu) == 0 &&
                        call<int(void*, int, unsigned*)>("nvmlDeviceGetTemperature")(gpu, 0, &degrees) == 0;
      out.push_back(good ? static_cast<int>(degrees) : -1);
    }
    return out;
  }

 private:
  template <class Function>
  Function* call(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_;
};

std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* const pipe = popen(command.c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << command;
  return out;
}

// A machine of its own for each test, also with `ctest -j`.
class Gpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "gpus-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    nvmlkit("up -m h100 -n 4");
    setenv("NVMLKIT_STATE", (folder_ + "/machine").c_str(), 1);  // the driver library reads it in nvmlInit
  }
  void TearDown() override {
    nvmlkit("down");
    std::filesystem::remove_all(folder_);
  }
  // Steers the machine: nvmlkit("fault gpu=1 xid 79").
  void nvmlkit(const std::string& words) { output_of("nvmlkit " + words + " --state " + folder_ + "/machine"); }
  // Where `nvmlkit up` says that the driver library is.
  static std::string library() {
    return output_of("nvmlkit run -m t4 -- sh -c 'printf %s \"${LD_LIBRARY_PATH%%:*}\"'") + "/libnvidia-ml.so.1";
  }

 private:
  std::string folder_;
};

TEST_F(Gpus, AHotGpu) {
  nvmlkit("set gpu=2 thermal.gpu=91");
  const Monitor monitor(library());
  ASSERT_EQ(monitor.temperatures().size(), 4u);
  EXPECT_EQ(monitor.temperatures()[2], 91);
}

TEST_F(Gpus, AGpuIsLostWhileTheMonitorRuns) {
  const Monitor monitor(library());
  EXPECT_GT(monitor.temperatures().at(1), 0);
  nvmlkit("fault gpu=1 xid 79");
  EXPECT_EQ(monitor.temperatures().at(1), -1);
  nvmlkit("heal gpu=1");
  EXPECT_GT(monitor.temperatures().at(1), 0);
}

TEST_F(Gpus, ALoad) {
  nvmlkit("load gpu=all 100%");
  nvmlkit("time advance 10m");
  const Monitor monitor(library());
  EXPECT_GT(monitor.temperatures().at(0), 50);  // ten minutes later
}

}  // namespace
