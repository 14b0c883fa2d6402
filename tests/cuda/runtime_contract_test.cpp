// Every function of the three runtimes with null pointers, garbage, handles that were ended, and from many threads: an
// error that the runtime has a name for, and no crash.
#include "runtime_contract.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <thread>

#include "loaded.hpp"

namespace nvmlkit::cuda_test::runtime {
namespace {

using Word = std::uint64_t;
using Kind = Argument::Kind;

// Who is being called, for the line that a crash leaves.
thread_local const char* now_called = "";

void tell_and_end(int signal) {
  for (const char* text : {"\ncrashed in ", now_called, "\n"})
    if (write(2, text, std::strlen(text)) < 0) break;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void do_nothing(Word, Word, Word) {}

// The words of one call, laid out as the ABI has them: six registers, then the stack.
class Call {
 public:
  // Values and handles are this byte over and over, pointers lead to such bytes.
  Call(const Contract& contract, int byte) : contract_(contract), values_(contract.arguments.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto& argument = contract.arguments[i];
      values_[i] = static_cast<Word>(byte) * Word{0x0101010101010101};
      if (argument.kind == Kind::callback) values_[i] = reinterpret_cast<Word>(&do_nothing);
      if (!argument.is_pointer()) continue;
      buffers_.at(i).fill(static_cast<unsigned char>(byte));
      buffers_[i].back() = 0;  // it may be read as a text
      values_[i] = reinterpret_cast<Word>(buffers_[i].data());
    }
  }
  Call& set(std::size_t argument, Word word) {
    values_[argument] = word;
    return *this;
  }

  int run(void* address) const {
    std::array<Word, 6> r{};
    std::array<Word, 24> s{};
    std::size_t registers = 0, stack = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto words = contract_.arguments[i].words;
      const bool fits = words <= 2 && registers + words <= r.size();
      for (std::size_t w = 0; w < words; ++w) (fits ? r.at(registers++) : s.at(stack++)) = values_[i];
    }
    now_called = contract_.name;
    using W = Word;
    using Function = int (*)(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W);
    return reinterpret_cast<Function>(address)(r[0], r[1], r[2], r[3], r[4], r[5], s[0], s[1], s[2], s[3], s[4], s[5],
                                               s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13]);
  }

 private:
  const Contract& contract_;
  std::vector<Word> values_;
  std::array<std::array<unsigned char, 4096>, 12> buffers_;
};

struct Version {
  int major;
  const char* library;
};
void PrintTo(const Version& version, std::ostream* out) { *out << "CUDA " << version.major; }

class CudaRuntime : public testing::TestWithParam<Version> {
 protected:
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "calls are laid out for x86-64";
#endif
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, tell_and_end);
    ASSERT_TRUE(library());  // of the driver: the runtime finds this one
    runtime_ = dlopen(GetParam().library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(runtime_) << dlerror();
    for (const auto& contract : contracts()) {
      const auto& versions = contract.versions;
      if (std::find(versions.begin(), versions.end(), GetParam().major) == versions.end()) continue;
      // These do not answer with an error.
      if (std::string_view(contract.name).starts_with("cudaGetError") ||
          std::string_view(contract.name) == "cudaCreateChannelDesc")
        continue;
      contracts_.push_back(&contract);
    }
  }

  template <class Result = int, class... Args>
  Result ask(const char* name, Args... args) {
    void* const address = dlsym(runtime_, name);
    if (!address) ADD_FAILURE() << "no " << name;
    return address ? reinterpret_cast<Result (*)(Args...)>(address)(args...) : Result{};
  }
  void* address_of(const Contract& contract) const { return dlsym(runtime_, contract.name); }
  bool is_known(int error) {
    return std::string_view(ask<const char*>("cudaGetErrorName", error)) != "unrecognized error code";
  }
  // Of the default streams of this thread: a capture that a call began forbids others to allocate.
  void end_captures() {
    void* graph = nullptr;
    for (std::uintptr_t stream = 0; stream < 3; ++stream) ask("cudaStreamEndCapture", stream, &graph);
    ask("cudaStreamEndCapture_ptsz", std::uintptr_t{0}, &graph);
    ask("cudaGetLastError");
  }
  // GPU 0 works: what came before did no harm.
  void expect_a_working_gpu(const char* after) {
    void* memory = nullptr;
    end_captures();
    EXPECT_EQ(ask("cudaSetDevice", 0), 0) << "after " << after;
    EXPECT_EQ(ask("cudaMalloc", &memory, std::size_t{1000}), 0) << "after " << after;
    EXPECT_EQ(ask("cudaFree", memory), 0) << "after " << after;
    ask("cudaGetLastError");
  }

  void* runtime_ = nullptr;
  std::vector<const Contract*> contracts_;
};

TEST_P(CudaRuntime, HasEveryFunctionOfItsHeaders) {
  EXPECT_GT(contracts_.size(), 300U);
  for (const auto* contract : contracts_) EXPECT_TRUE(address_of(*contract)) << contract->name;
}

TEST_P(CudaRuntime, RefusesNullPointers) {
  int checked = 0;
  for (const auto* contract : contracts_)
    for (std::size_t i = 0; i < contract->arguments.size(); ++i) {
      if (contract->arguments[i].kind != Kind::pointer) continue;
      const int error = Call(*contract, 0x00).set(i, 0).run(address_of(*contract));
      EXPECT_NE(error, 0) << contract->name << ", argument " << i + 1;
      EXPECT_TRUE(is_known(error)) << contract->name << ", argument " << i + 1 << ": " << error;
      ++checked;
    }
  EXPECT_GT(checked, 250);
  expect_a_working_gpu("nulls");
}

TEST_P(CudaRuntime, AnswersGarbage) {
  for (const auto* contract : contracts_)
    for (const int byte : {0x00, 0x01, 0x02, 0x7f, 0x80, 0xa5, 0xff}) {
      const int error = Call(*contract, byte).run(address_of(*contract));
      EXPECT_TRUE(is_known(error)) << contract->name << ": " << error;
      if (byte == 0xff) expect_a_working_gpu(contract->name);
    }
}

// Handles that were ended, of this kind and of others, and memory that is none, wherever a handle goes.
TEST_P(CudaRuntime, RefusesHandlesThatAreNone) {
  std::vector<Word> none;
  const auto end = [&](const char* destroy, Word handle) {
    ASSERT_NE(handle, 0U) << destroy;
    ASSERT_EQ(ask(destroy, handle), 0);
    none.push_back(handle);
  };
  Word handle = 0;
  EXPECT_EQ(ask("cudaStreamCreate", &handle), 0);
  end("cudaStreamDestroy", handle);
  EXPECT_EQ(ask("cudaEventCreate", &handle), 0);
  end("cudaEventDestroy", handle);
  EXPECT_EQ(ask("cudaGraphCreate", &handle, 0u), 0);
  end("cudaGraphDestroy", handle);
  const std::array<int, 5> one_float{32, 0, 0, 0, 2};
  EXPECT_EQ(ask("cudaMallocArray", &handle, one_float.data(), std::size_t{64}, std::size_t{0}, 0u), 0);
  end("cudaFreeArray", handle);
  std::array<Word, 512> memory{};
  none.push_back(reinterpret_cast<Word>(memory.data()));

  int checked = 0;
  for (const auto* contract : contracts_)
    for (std::size_t i = 0; i < contract->arguments.size(); ++i) {
      if (contract->arguments[i].kind != Kind::handle) continue;
      // The driver of an H100 destroys any number as the object of a texture.
      const std::string_view name = contract->name;
      if (name == "cudaDestroyTextureObject" || name == "cudaDestroySurfaceObject") continue;
      for (const auto wrong : none) {
        const int error = Call(*contract, 0x00).set(i, wrong).run(address_of(*contract));
        EXPECT_NE(error, 0) << contract->name << ", argument " << i + 1;
        EXPECT_TRUE(is_known(error)) << contract->name << ": " << error;
        ++checked;
      }
    }
  EXPECT_GT(checked, 500);
  expect_a_working_gpu("handles that are none");
}

// Handles that were just made, and have done nothing yet, wherever one of their kind goes.
TEST_P(CudaRuntime, TakesHandlesThatDidNothingYet) {
  const std::array<int, 5> one_float{32, 0, 0, 0, 2};
  Word made = 0;
  const auto make = [&](std::string_view type) -> const char* {  // the function that ends it
    if (type == "cudaStream_t") return ask("cudaStreamCreate", &made), "cudaStreamDestroy";
    if (type == "cudaEvent_t") return ask("cudaEventCreate", &made), "cudaEventDestroy";
    if (type == "cudaGraph_t") return ask("cudaGraphCreate", &made, 0u), "cudaGraphDestroy";
    if (type != "cudaArray_t") return nullptr;
    ask("cudaMallocArray", &made, one_float.data(), std::size_t{64}, std::size_t{0}, 0u);
    return "cudaFreeArray";
  };
  int checked = 0;
  for (const auto* contract : contracts_)
    for (std::size_t i = 0; i < contract->arguments.size(); ++i) {
      if (contract->arguments[i].kind != Kind::handle) continue;
      const auto* const end = make(contract->arguments[i].type);
      if (!end) continue;
      const int error = Call(*contract, 0x00).set(i, made).run(address_of(*contract));
      EXPECT_TRUE(is_known(error)) << contract->name << ": " << error;
      ask(end, made);
      ask("cudaStreamEndCapture", Word{2}, &made);  // of the thread's default stream, which a call may have begun
      ++checked;
    }
  EXPECT_GT(checked, 150);
  ask("cudaEventCreate", &made);
  EXPECT_EQ(ask("cudaEventSynchronize", made), 0);
  EXPECT_EQ(ask("cudaEventQuery", made), 0);
  EXPECT_EQ(ask("cudaStreamWaitEvent", Word{0}, made, 0u), 0);
  EXPECT_EQ(ask("cudaStreamSynchronize", Word{0}), 0);
  expect_a_working_gpu("handles that did nothing");
}

TEST_P(CudaRuntime, AnswersGarbageFromManyThreads) {
  const auto work = [&](unsigned seed) {
    auto order = contracts_;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (const auto* contract : order)
      for (const int byte : {0x00, 0x01, 0xa5})
        EXPECT_TRUE(is_known(Call(*contract, byte).run(address_of(*contract)))) << contract->name;
    end_captures();
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 16; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  expect_a_working_gpu("many threads");
}

INSTANTIATE_TEST_SUITE_P(Versions, CudaRuntime,
                         testing::Values(Version{11, NVMLKIT_TEST_CUDART "11.0"}, Version{12, NVMLKIT_TEST_CUDART "12"},
                                         Version{13, NVMLKIT_TEST_CUDART "13"}),
                         [](const auto& tested) { return "Cuda" + std::to_string(tested.param.major); });

}  // namespace
}  // namespace nvmlkit::cuda_test::runtime
