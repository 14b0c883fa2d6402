// NVIDIA's libnvrtc in a folder that the dynamic linker does not search.
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "generated/nvrtc_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nvrtc;
namespace fs = std::filesystem;

// The files of this process whose names begin with `name`.
std::vector<fs::path> loaded(const std::string& name) {
  std::vector<fs::path> all, out;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* paths) {
        static_cast<std::vector<fs::path>*>(paths)->emplace_back(info->dlpi_name);
        return 0;
      },
      &all);
  for (const fs::path& path : all)
    if (path.filename().string().rfind(name, 0) == 0) out.push_back(path);
  return out;
}

// The folder that has NVIDIA's library and its second file, looked for in a process of its own: the library is opened
// once. Empty without them.
fs::path folder_of_nvidias() {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const Nvrtc library("libnvrtc.so.13");
    int major = 0, minor = 0;
    if (library.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) _exit(0);
    const std::string second = "libnvrtc-builtins.so." + std::to_string(major) + '.' + std::to_string(minor);
    for (const fs::path& path : loaded("libnvrtc.so"))
      if (const std::string folder = path.parent_path(); fs::exists(path.parent_path() / second)) {
        _exit(write(ends[1], folder.data(), folder.size()) < 0 ? 1 : 0);
      }
    _exit(0);
  }
  close(ends[1]);
  std::string out(4096, '\0');
  const auto size = read(ends[0], out.data(), out.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return out;
}

TEST(Folders, TheSecondFileIsThatBesideTheLibrary) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path nvidias = folder_of_nvidias();
  if (nvidias.empty()) GTEST_SKIP() << "there is no libnvrtc of NVIDIA";
  char name[] = "/tmp/nvmlkit-nvrtc-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const fs::path folder = name;
  fs::path library;
  for (const auto& entry : fs::directory_iterator(nvidias)) {
    const std::string file = entry.path().filename();
    if (file.rfind("libnvrtc", 0) != 0 || fs::is_directory(entry.path())) continue;
    fs::create_symlink(entry.path(), folder / file);
    if (file.rfind("libnvrtc.so.1", 0) == 0) library = folder / file;
  }
  const auto work = [&] {
    setenv("NVMLKIT_NVRTC", library.c_str(), 1);
    setenv("NVMLKIT_NVRTC_CACHE", "0", 1);
    const Nvrtc compiler("libnvrtc.so.13");
    Program program = nullptr;
    bool is_right =
        compiler.nvrtcCreateProgram(&program, "__global__ void f() {}", "f.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS &&
        compiler.nvrtcCompileProgram(program, 0, nullptr) == NVRTC_SUCCESS;
    const auto second = loaded("libnvrtc-builtins");
    is_right = is_right && second.size() == 1 && second[0].parent_path() == library.parent_path();
    for (const fs::path& path : second) std::fprintf(stderr, "%s\n", path.c_str());
    std::_Exit(is_right ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "libnvrtc-builtins");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace nvmlkit::library_test
