// Launches that several threads of the host execute.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ptx/launch.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::uint64_t kStart = std::uint64_t{1} << 32;

// Of all kernels: rd1 the data, r1 the number of the block.
std::string kernel(const std::string& body) {
  return ".version 7.0\n.target sm_70\n.address_size 64\n"
         ".extern .func (.param .b32 out) vprintf(.param .b64 format, .param .b64 values);\n"
         ".global .align 1 .b8 text[7] = {37, 100, 32, 37, 100, 10, 0};\n"
         ".visible .entry kernel(.param .u64 data) {\n"
         ".local .align 8 .b8 values[8];\n"
         ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// Adds 1 to the first word 100 times.
const char* const kCount =
    "mov.u32 %r3, 0;\n"
    "LOOP: atom.global.add.u32 %r4, [%rd1], 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 100; @%p1 bra LOOP;";

class Memory final : public GlobalMemory {
 public:
  bool find(std::uint64_t address, Region& region) override {
    const std::lock_guard lock(mutex_);
    threads.insert(std::this_thread::get_id());
    region = {kStart, words.size() * 4, reinterpret_cast<std::byte*>(words.data()), nullptr};
    return address - kStart < region.size;
  }
  std::uint64_t allocate(std::uint64_t) override { return 0; }
  bool release(std::uint64_t) override { return true; }

  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(4096);
  std::set<std::thread::id> threads;  // that reached this memory

 private:
  std::mutex mutex_;
};

struct Launch {
  explicit Launch(const std::string& body) : module(load(kernel(body))) {
    image = place(*module, kStart + 8192);
    std::memcpy(reinterpret_cast<std::byte*>(memory.words.data()) + 8192, image.data(), image.size());
    grid.module = module.get();
    grid.entry = module->entry("kernel");
    grid.params = std::as_bytes(std::span(&data, 1));
    grid.memory = &memory;
    grid.threads_of_host = 4;
    grid.threads[0] = 64;
  }
  Outcome run(std::uint32_t blocks) {
    grid.blocks[0] = blocks;
    return ptx::run_kernel(grid);
  }

  Memory memory;
  std::unique_ptr<Module> module;
  std::vector<std::byte> image;
  std::uint64_t data = kStart;
  Grid grid;
};

TEST(CudaCores, CountTogether) {
  Launch launch(kCount);
  EXPECT_EQ(launch.run(400).fault.kind, FaultKind::none);
  EXPECT_EQ(launch.memory.words[0], 400u * 64 * 100);
}

TEST(CudaCores, AreNotWokenForLittle) {
  Launch launch(kCount);
  EXPECT_EQ(launch.run(4).fault.kind, FaultKind::none);
  EXPECT_EQ(launch.memory.threads, std::set{std::this_thread::get_id()});
}

// The first block stays until another one has come.
TEST(CudaCores, WorkAtOnce) {
  Launch launch(
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra OTHER;\n"
      "SPIN: ld.relaxed.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra SPIN; bra END;\n"
      "OTHER: st.relaxed.gpu.global.u32 [%rd1], 1; END:");
  EXPECT_EQ(launch.run(2).fault.kind, FaultKind::none);
  EXPECT_GE(launch.memory.threads.size(), 2u);
}

// A barrier of all blocks as programs write it themselves.
TEST(CudaCores, ComeToEveryBlockThatOthersWaitFor) {
  for (const unsigned threads : {1u, 2u}) {
    Launch launch(
        "atom.global.add.u32 %r3, [%rd1], 1; mov.u32 %r4, %nctaid.x; shl.b32 %r4, %r4, 6;\n"
        "SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, %r4; @%p1 bra SPIN;");
    launch.grid.threads_of_host = threads;
    launch.grid.most_resident = 100;
    EXPECT_EQ(launch.run(100).fault.kind, FaultKind::none);
  }
}

// The others would never end.
TEST(CudaCores, EndAtTheFirstFault) {
  Launch launch("setp.eq.u32 %p1, %r1, 3; LOOP: @!%p1 bra LOOP; trap;");
  EXPECT_EQ(launch.run(8).fault.kind, FaultKind::trap);
}

TEST(CudaCores, PrintBlockAfterBlock) {
  Launch launch(
      "{ .param .b64 format; .param .b64 list; .param .b32 out; mov.u64 %rd2, text; mov.u64 %rd3, values;\n"
      "cvta.local.u64 %rd4, %rd3; st.local.u32 [%rd3], %r1; st.local.u32 [%rd3+4], %r2;\n"
      "st.param.b64 [format], %rd2; st.param.b64 [list], %rd4; call (out), vprintf, (format, list); }\n" +
      std::string(kCount));
  launch.grid.output = std::tmpfile();
  ASSERT_NE(launch.grid.output, nullptr);
  EXPECT_EQ(launch.run(50).fault.kind, FaultKind::none);
  std::rewind(launch.grid.output);
  unsigned block = 0, thread = 0, lines = 0, last = 0;
  std::set<unsigned> seen;
  for (; std::fscanf(launch.grid.output, "%u %u", &block, &thread) == 2; ++lines) {
    EXPECT_EQ(thread, lines % 64);
    if (thread == 0) {
      EXPECT_TRUE(seen.insert(block).second);
      last = block;
    }
    EXPECT_EQ(block, last);
  }
  EXPECT_EQ(lines, 50u * 64);
  std::fclose(launch.grid.output);
}

TEST(CudaCores, ServeSeveralLaunches) {
  Launch launches[3]{Launch(kCount), Launch(kCount), Launch(kCount)};
  std::vector<std::thread> threads;
  for (auto& launch : launches) threads.emplace_back([&] { launch.run(100); });
  for (auto& thread : threads) thread.join();
  for (auto& launch : launches) EXPECT_EQ(launch.memory.words[0], 100u * 64 * 100);
}

// A child has none of the threads of its parent.
TEST(CudaCores, AreThereAfterForks) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer refuses threads of a child";
#endif
  const auto counts = [] {
    Launch launch(kCount);
    return launch.run(100).fault.kind == FaultKind::none && launch.memory.words[0] == 100u * 64 * 100;
  };
  const auto is_well = [](pid_t child) {
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  ASSERT_TRUE(counts());
  const auto child = fork();
  if (child == 0) {
    alarm(300);
    const bool good = counts();
    const auto grandchild = fork();
    if (grandchild == 0) _exit(counts() ? 0 : 1);
    _exit(good && is_well(grandchild) && counts() ? 0 : 1);
  }
  EXPECT_TRUE(is_well(child));
  EXPECT_TRUE(counts());
}

}  // namespace
}  // namespace nvmlkit::ptx
