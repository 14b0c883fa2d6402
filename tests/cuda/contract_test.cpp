// Every exported function, checked against its contract.
#include "contract.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kMost = 18;

void do_nothing(Word, Word, Word) {}

// One call with arguments as words. A function takes as many of them as it has parameters.
class Call {
 public:
  explicit Call(const Contract& contract) : contract_(contract) {}

  // Every argument is this byte over and over, every pointer leads to such bytes.
  Call& fill(unsigned char byte) {
    for (std::size_t i = 0; i < contract_.arguments.size(); ++i) {
      buffers_[i].fill(static_cast<unsigned char>(byte));
      buffers_[i].back() = 0;  // it may be read as a text
      words_[i] = byte * Word{0x0101010101010101};
      if (contract_.arguments[i] == Argument::callback) words_[i] = reinterpret_cast<Word>(&do_nothing);
#if defined(__aarch64__)
      // Such a struct is passed as the address of a copy; on x86-64 it lies on the stack, where the other words are.
      if (contract_.arguments[i] == Argument::object) words_[i] = reinterpret_cast<Word>(buffers_[i].data());
#endif
      if (is_pointer(i)) words_[i] = reinterpret_cast<Word>(buffers_[i].data());
    }
    return *this;
  }
  Call& set(std::size_t argument, Word word) {
    words_[argument] = word;
    return *this;
  }

  CUresult run() const {
    const auto& w = words_;
    return call(contract_.name, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                w[14], w[15], w[16], w[17]);
  }

 private:
  bool is_pointer(std::size_t i) const {
    return contract_.arguments[i] == Argument::pointer || contract_.arguments[i] == Argument::optional_pointer;
  }

  const Contract& contract_;
  std::array<Word, kMost> words_{};
  std::array<std::array<unsigned char, 4096>, kMost> buffers_{};
};

bool is_known(CUresult result) {
  const char* name = nullptr;
  return driver().cuGetErrorName(result, &name) == CUDA_SUCCESS && name;
}

TEST(CudaTable, HasEverySymbol) {
  EXPECT_EQ(contracts().size(), 636U + 37);  // and the newer ones
  for (const auto& contract : contracts()) {
    EXPECT_NE(dlsym(library(), contract.name), nullptr) << contract.name;
    EXPECT_LE(contract.arguments.size(), kMost) << contract.name;
  }
}

TEST(CudaBeforeInit, NothingWorksButWhatSaysSo) {
  if (!has_own_process()) return;
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.needs == Needs::nothing) continue;
    const auto result = Call(contract).fill(0x01).run();
    EXPECT_EQ(result, CUDA_ERROR_NOT_INITIALIZED) << contract.name;
    ++checked;
  }
  EXPECT_EQ(checked, 629 + 32);
}

TEST(CudaWithoutContext, WhatNeedsOneSaysSo) {
  if (!has_own_process()) return;
  ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS);
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.needs != Needs::context || contract.answer != Answer::code) continue;
    EXPECT_EQ(Call(contract).fill(0x01).run(), CUDA_ERROR_INVALID_CONTEXT) << contract.name;
    ++checked;
  }
  EXPECT_GT(checked, 80);
}

class CudaContract : public WithContext {};

TEST_F(CudaContract, WhatIsNotThereIsNotSupported) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.answer == Answer::code) continue;
    for (const int byte : {0x00, 0x01, 0xa5})
      EXPECT_EQ(Call(contract).fill(static_cast<unsigned char>(byte)).run(), CUDA_ERROR_NOT_SUPPORTED) << contract.name;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST_F(CudaContract, NullPointersAreRefused) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.answer != Answer::code) continue;
    for (std::size_t i = 0; i < contract.arguments.size(); ++i) {
      if (contract.arguments[i] != Argument::pointer) continue;
      EXPECT_EQ(Call(contract).fill(0x00).set(i, 0).run(), CUDA_ERROR_INVALID_VALUE) << contract.name << " " << i;
      ++checked;
    }
  }
  EXPECT_GT(checked, 90);
}

// Whatever is handed in: an answer that is one, and no crash.
TEST_F(CudaContract, GarbageIsAnswered) {
  for (const auto& contract : contracts()) {
    if (contract.answer != Answer::code) continue;
    for (const int byte : {0x00, 0x01, 0x7f, 0xa5, 0xff}) {
      EXPECT_TRUE(is_known(Call(contract).fill(static_cast<unsigned char>(byte)).run())) << contract.name;
      ASSERT_EQ(driver().cuCtxSetCurrent(context_), CUDA_SUCCESS) << "after " << contract.name;
    }
  }
}

}  // namespace
}  // namespace nvmlkit::cuda_test
