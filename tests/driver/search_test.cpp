// Where a driver library looks for the state of its machine.
#include "driver/search/search.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::driver::search {
namespace {

namespace fs = std::filesystem;

TEST(RootOf, IsThePartBeforeTheFolderOfLibraries) {
  const std::pair<const char*, std::optional<std::string_view>> cases[] = {
      {"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", ""},
      {"/usr/lib64/libnvidia-ml.so.580.82", ""},
      {"/usr/lib/wsl/lib/libnvidia-ml.so.1", ""},
      {"/lib/aarch64-linux-gnu/libcuda.so.1", ""},
      {"/srv/gpus/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/srv/gpus"},
      {"/var/lib/gpus/usr/lib/wsl/lib/libcuda.so.1", "/var/lib/gpus"},
      {"/var/lib/gpus/usr/lib64/libcuda.so.1", "/var/lib/gpus"},
      {"/driver-root/lib64/libcuda.so.1", "/driver-root"},
      {"/home/u/nvmlkit/build/release/lib/impersonate/550/libnvidia-ml.so.1", "/home/u/nvmlkit/build/release"},
      {"/opt/driver/libnvidia-ml.so.1", std::nullopt},
      {"/opt/lib", std::nullopt},
      {"/libs/libcuda.so.1", std::nullopt},
      {"libnvidia-ml.so.1", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [library, expected] : cases) EXPECT_EQ(root_of(library), expected) << library;
}

// A file system of the test's own: its top is a folder, with the root of the library somewhere in it.
class FindState : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/find_state_XXXXXX";
    top_ = mkdtemp(name);
    machine_ = std::move(*sim::load_machine({{"NVMLKIT_MACHINE", "t4"}, {"NVMLKIT_GPU_COUNT", "1"}}));
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string at(const std::string& path) const {
    fs::create_directories(fs::path(top_ + path).parent_path());
    return top_ + path;
  }
  void put_state(const std::string& path) const { ASSERT_TRUE(sim::state::save(*machine_, at(path), "t4")); }
  void put_text(const std::string& path, const std::string& text = "") const { std::ofstream(at(path)) << text; }

  View view(bool of_root = false) const {
    return {top_ + "/roots/gpus/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", of_root, top_};
  }
  // The path below the top; empty where no state is found.
  std::string found(const sim::Environment& environment = {}, bool of_root = false) const {
    const auto out = find_state(environment, view(of_root));
    EXPECT_TRUE(out);
    return out && *out ? (*out)->state.substr(top_.size()) : "";
  }
  std::string refusal(const View& seen) const {
    const auto out = find_state({}, seen);
    if (out) return "";
    EXPECT_EQ(out.error().kind, sim::ProblemKind::missing);
    return sim::text_of(out.error());
  }

  std::string top_;
  std::unique_ptr<sim::Machine> machine_;
};

constexpr const char* kInOrder[] = {"/roots/gpus/run/nvmlkit/state", "/run/nvmlkit/state",
                                    "/run/nvidia-persistenced/socket", "/var/run/nvidia-persistenced/socket"};

TEST_F(FindState, TakesTheFirst) {
  EXPECT_EQ(found(), "");
  for (auto path = std::rbegin(kInOrder); path != std::rend(kInOrder); ++path) {
    put_state(*path);
    EXPECT_EQ(found(), *path);
    EXPECT_EQ(found({}, true), *path);
  }
}

TEST_F(FindState, VariablesThatNameAMachineComeFirst) {
  for (const char* path : kInOrder) put_state(path);
  for (const char* name : {"NVMLKIT_STATE", "NVMLKIT_MACHINE", "MOCK_NVML_CONFIG"}) {
    EXPECT_EQ(found({{name, "anything"}}), "") << name;
    EXPECT_EQ(found({{name, "anything"}}, true), "") << name;
    EXPECT_EQ(found({{name, ""}}), kInOrder[0]) << name;
  }
  EXPECT_EQ(found({{"NVMLKIT_GPU_COUNT", "2"}, {"NVMLKIT_DRIVER", "550"}}), kInOrder[0]);
}

// The daemon of NVIDIA has a socket at the path, and a user may have anything at another.
TEST_F(FindState, PassesOverWhatIsNoState) {
  const int daemon = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  at(kInOrder[2]).copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(daemon, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  put_text(kInOrder[1], "nvmlkit was here, and this is no state of it");
  ASSERT_EQ(mkfifo(at(kInOrder[0]).c_str(), 0600), 0);
  EXPECT_EQ(found(), "");
  const auto text = refusal(view(true));
  EXPECT_NE(text.find(top_ + kInOrder[0] + " is no file, "), text.npos) << text;
  EXPECT_NE(text.find(top_ + kInOrder[1] + " is no state file of nvmlkit, "), text.npos) << text;
  EXPECT_NE(text.find(top_ + kInOrder[2] + " is a socket, "), text.npos) << text;
  EXPECT_NE(text.find(top_ + kInOrder[3] + " is missing; "), text.npos) << text;
  put_state(kInOrder[3]);
  EXPECT_EQ(found(), kInOrder[3]);
  close(daemon);
}

TEST_F(FindState, PassesOverFoldersEmptyFilesAndBrokenLinks) {
  fs::create_directories(at(kInOrder[0]) + "/folder");
  put_text(kInOrder[1]);
  fs::create_symlink("/no/such/state", at(kInOrder[2]));
  EXPECT_EQ(found(), "");
  put_state("/elsewhere");
  fs::create_symlink(top_ + "/elsewhere", at(kInOrder[3]));
  EXPECT_EQ(found(), kInOrder[3]);
}

// Another version's file is the machine, too: the library refuses it instead of taking another machine.
TEST_F(FindState, TakesAStateOfAnotherVersion) {
  put_state(kInOrder[1]);
  put_state(kInOrder[2]);
  std::fstream(top_ + kInOrder[1], std::ios::in | std::ios::out).seekp(24).write("0.0.9", 6);
  EXPECT_EQ(found(), kInOrder[1]);
}

TEST_F(FindState, ALibraryOfARootWithoutAStateListsThePlaces) {
  const auto text = refusal(view(true));
  EXPECT_TRUE(text.starts_with(view().library + ": this library of a driver root finds no state")) << text;
  for (const char* path : kInOrder) EXPECT_NE(text.find(top_ + path + " is missing"), text.npos) << text;
  const View elsewhere{"/opt/driver/libcuda.so.1", true, top_};
  EXPECT_EQ(refusal(elsewhere).find("/opt/driver/run"), text.npos);
  EXPECT_NE(refusal({"", true, top_}), "");
}

TEST_F(FindState, OnlyGpusWithANodeAreThere) {
  const auto nodes = [&] { return (*find_state({}, view()))->device_nodes.substr(top_.size()); };
  put_state(kInOrder[1]);
  EXPECT_EQ(nodes(), "/dev");
  put_text("/roots/gpus/dev/nvidiactl");
  EXPECT_EQ(nodes(), "/dev") << "the state is not that of the root";
  put_state(kInOrder[0]);
  EXPECT_EQ(nodes(), "/roots/gpus/dev");
  put_text("/dev/nvidiactl");
  put_text("/dev/nvidia-uvm");
  EXPECT_EQ(nodes(), "/roots/gpus/dev") << "these are no GPUs";
  put_text("/dev/nvidia12");
  EXPECT_EQ(nodes(), "/dev");
  fs::remove(at("/dev/nvidia12"));
  fs::remove(at("/roots/gpus/dev/nvidiactl"));
  EXPECT_EQ(nodes(), "/dev");
}

// A container engine leaves such a file where it mounted one, unreadable for others.
TEST_F(FindState, AnEmptyFileIsNoStateOfAnotherUser) {
  put_text(kInOrder[1]);
  EXPECT_NE(refusal(view(true)).find(top_ + kInOrder[1] + " is empty, "), std::string::npos);
}

// As another user: 0 when the unreadable state is found, and refused with advice.
TEST_F(FindState, AStateOfAnotherUserIsFoundAndRefusedWithAdvice) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  put_state(kInOrder[1]);
  fs::permissions(top_, fs::perms(0755));
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    const auto out = find_state({}, view(true));
    if (!out || !*out) _exit(2);
    const auto machine = sim::state::attach((*out)->state, kAdvice);
    if (machine) _exit(3);
    const auto text = sim::text_of(machine.error());
    const bool right = text.find("of user 0:0 with mode 0600, the process is user 65534:65534") != text.npos &&
                       text.find("--mode") != text.npos && text.find("unset") == text.npos;
    if (!right) std::fprintf(stderr, "%s\n", text.c_str());
    _exit(right ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nvmlkit::driver::search
