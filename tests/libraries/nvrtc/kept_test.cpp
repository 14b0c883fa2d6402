// Results of earlier compilations, in files.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "code_cache/digest.hpp"
#include "code_cache/digest_instructions.hpp"
#include "generated/nvrtc_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nvrtc;
namespace fs = std::filesystem;

constexpr const char* kScale = R"(
#include "by.h"
template <class T> __global__ void scale(T* data) { data[threadIdx.x] *= BY; })";

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// Each test has a process of its own: the library opens the folder once.
class Kept : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/nvmlkit-nvrtc-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    setenv("CUDA_CACHE_PATH", name, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    int major = 0, minor = 0;
    if (library_.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) GTEST_SKIP() << "there is no libnvrtc of NVIDIA";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (!fs::exists(folder_ / "nvmlkit")) return out;
    for (const auto& entry : fs::directory_iterator(folder_ / "nvmlkit")) out.push_back(entry.path());
    return out;
  }

  // The PTX. `check` sees the program before it goes.
  template <class Check>
  std::string compile(const std::string& source, std::vector<const char*> options, const char* by, Check check) {
    Program program = nullptr;
    const char* name = "by.h";
    EXPECT_EQ(library_.nvrtcCreateProgram(&program, source.c_str(), "scale.cu", 1, &by, &name), NVRTC_SUCCESS);
    EXPECT_EQ(library_.nvrtcAddNameExpression(program, "scale<float>"), NVRTC_SUCCESS);
    EXPECT_EQ(library_.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data()), NVRTC_SUCCESS);
    std::size_t size = 0;
    EXPECT_EQ(library_.nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
    std::string out(size, ' ');
    EXPECT_EQ(library_.nvrtcGetPTX(program, out.data()), NVRTC_SUCCESS);
    check(program);
    EXPECT_EQ(library_.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    return out;
  }
  std::string compile(const std::string& source, std::vector<const char*> options = {"-arch=sm_80"},
                      const char* by = "#define BY 3") {
    return compile(source, std::move(options), by, [](Program) {});
  }

  fs::path folder_;
  Nvrtc library_{"libnvrtc.so.12"};
};

TEST_F(Kept, ASecondProgramIsReadFromItsFile) {
  const std::string made = compile(kScale);
  ASSERT_EQ(files().size(), 1u);
  // A mark in the file shows that the file is read.
  std::string content = bytes_of(files()[0]);
  content.resize(content.size() - 64);
  const auto at = content.find("Compiler");
  ASSERT_NE(at, std::string::npos);
  content.replace(at, 8, "FromDisk");
  put(files()[0], content + code_cache::digest_of(content));
  const auto check = [&](Program program) {
    std::size_t size = 0;
    EXPECT_EQ(library_.nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
    EXPECT_EQ(size, made.size());
    const char* name = nullptr;
    EXPECT_EQ(library_.nvrtcGetLoweredName(program, "scale<float>", &name), NVRTC_SUCCESS);
    EXPECT_STREQ(name, "_Z5scaleIfEvPT_");
    EXPECT_EQ(library_.nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
    EXPECT_EQ(size, 1u);
    // What the file lacks is answered as behind a compilation.
    EXPECT_NE(library_.nvrtcGetLoweredName(program, "scale<double>", &name), NVRTC_SUCCESS);
    EXPECT_NE(library_.nvrtcAddNameExpression(program, "scale<int>"), NVRTC_SUCCESS);
  };
  EXPECT_NE(compile(kScale, {"-arch=sm_80"}, "#define BY 3", check).find("FromDisk"), std::string::npos);
}

TEST_F(Kept, AnotherProgramHasAnotherFile) {
  compile(kScale);
  compile(kScale, {"-arch=sm_80"}, "#define BY 4");
  compile(std::string(kScale) + " ");
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(Kept, AFileThatIsNotWholeIsMadeAgain) {
  const std::string made = compile(kScale);
  ASSERT_EQ(files().size(), 1u);
  const std::string content = bytes_of(files()[0]);
  for (const std::string& wrong : {content.substr(0, content.size() - 1), std::string(), std::string(100, 'x')}) {
    put(files()[0], wrong);
    EXPECT_EQ(compile(kScale), made);
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(bytes_of(files()[0]), content);
  }
}

TEST_F(Kept, ProgramsThatDependOnMoreAreNotKept) {
  put(folder_ / "on_disk.h", "\n");
  const std::string include = "-I" + folder_.string();
  const std::string source = kScale;
  for (const char* line : {"# /* */ include \"on_disk.h\"\n", "#incl\\\nude <on_disk.h>\n", "%:include <on_disk.h>\n",
                           "#define HERE <on_disk.h>\n#include HERE\n", "__device__ const char* made = __TIME__;\n"})
    compile(line + source, {"-arch=sm_80", include.c_str()});
  EXPECT_TRUE(files().empty());
}

// Processes that compile the same programs into one folder at the same time: the code is right, the files are whole.
TEST_F(Kept, SeveralProcessesAtOnce) {
  constexpr int kProcesses = 4, kPrograms = 2;
  const char* const kFactors[kPrograms] = {"#define BY 3", "#define BY 5"};
  const char* const kInPtx[kPrograms] = {"0f40400000", "0f40A00000"};
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    children.push_back(fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() > 0) continue;
    char none = 0;
    close(gate[1]);
    int wrong = read(gate[0], &none, 1) == 0 ? 0 : 1;  // until the parent closes its end
    for (int k = 0; k < kPrograms; ++k) {
      const auto which = static_cast<std::size_t>((child + k) % kPrograms);
      if (compile(kScale, {"-arch=sm_80"}, kFactors[which]).find(kInPtx[which]) == std::string::npos) wrong = 1;
    }
    _exit(wrong != 0 || HasFailure() ? 1 : 0);
  }
  close(gate[0]);
  close(gate[1]);
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto left = files();
  EXPECT_EQ(left.size(), static_cast<std::size_t>(kPrograms));  // none of unfinished writes
  for (const auto& path : left) {
    const std::string content = bytes_of(path);
    ASSERT_GT(content.size(), 64u);
    EXPECT_EQ(content.substr(content.size() - 64), code_cache::digest_of(content.substr(0, content.size() - 64)));
  }
  EXPECT_NE(compile(kScale, {"-arch=sm_80"}, kFactors[1]).find(kInPtx[1]), std::string::npos);
  EXPECT_EQ(files().size(), left.size());
}

TEST_F(Kept, AVariableSwitchesItOff) {
  setenv("NVMLKIT_NVRTC_CACHE", "0", 1);
  compile(kScale);
  EXPECT_TRUE(files().empty());
  unsetenv("NVMLKIT_NVRTC_CACHE");
}

TEST(Digest, IsSha256) {
  EXPECT_EQ(code_cache::digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(code_cache::digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(code_cache::digest_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, IsTheSameByInstructions) {
  if (!code_cache::has_digest_instructions()) GTEST_SKIP() << "the processor has none";
  std::string bytes;
  for (int k = 0; k < 300; ++k) {
    EXPECT_EQ(code_cache::digest_of(bytes, true), code_cache::digest_of(bytes, false)) << k;
    bytes += static_cast<char>(7 * k);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
