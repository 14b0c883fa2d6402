// Plans with several GPUs, and what lies in the memory of each.
#pragma once

#include <random>

#include "library.hpp"
#include "reference.hpp"

namespace nvmlkit::library_test {

using namespace cufft;

inline bool has_doubles(cudaDataType type) { return type == CUDA_R_64F || type == CUDA_C_64F; }
inline bool has_reals(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_64F; }

// Numbers as doubles: pairs where they are complex.
inline std::vector<std::uint8_t> as_bytes(const std::vector<double>& numbers, bool doubles) {
  std::vector<std::uint8_t> out(numbers.size() * (doubles ? 8 : 4));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto narrow = static_cast<float>(numbers[i]);
    if (doubles)
      std::memcpy(out.data() + 8 * i, &numbers[i], 8);
    else
      std::memcpy(out.data() + 4 * i, &narrow, 4);
  }
  return out;
}

inline std::vector<double> as_numbers(const std::vector<std::uint8_t>& bytes, bool doubles) {
  std::vector<double> out(bytes.size() / (doubles ? 8 : 4));
  for (std::size_t i = 0; i < out.size(); ++i) {
    float narrow = 0;
    std::memcpy(doubles ? static_cast<void*>(&out[i]) : &narrow, bytes.data() + (doubles ? 8 : 4) * i, doubles ? 8 : 4);
    if (!doubles) out[i] = static_cast<double>(narrow);
  }
  return out;
}

inline std::vector<double> as_pairs(const std::vector<Number>& numbers) {
  std::vector<double> out;
  for (const Number& number : numbers) out.insert(out.end(), {number.real(), number.imag()});
  return out;
}

inline std::vector<double> random_numbers(std::mt19937& random, std::int64_t count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  // Of few bits: exact in both precisions.
  for (double& number : out)
    number = static_cast<double>(std::uniform_int_distribution<int>(-1024, 1024)(random)) / 1024;
  return out;
}

// What a GPU has of a whole, by the rule of the documentation: the first `whole % gpus` ones have one more.
struct Slice {
  std::int64_t first = 0, count = 0;
  Slice(std::int64_t whole, int gpus, int gpu) {
    for (int g = 0; g <= gpu; ++g) {
      first += count;
      count = whole / gpus + (g < whole % gpus ? 1 : 0);
    }
  }
};

class Several {
 public:
  explicit Several(int gpus, std::vector<int> numbers = {}) : numbers_(std::move(numbers)) {
    for (int g = static_cast<int>(numbers_.size()); g < gpus; ++g) numbers_.push_back(g);
    EXPECT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
    EXPECT_EQ(library().cufftXtSetGPUs(plan, gpus, numbers_.data()), CUFFT_SUCCESS);
  }
  ~Several() {
    for (auto* each : made_) EXPECT_EQ(library().cufftXtFree(each), CUFFT_SUCCESS);
    EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  }
  Several(const Several&) = delete;
  Several& operator=(const Several&) = delete;

  cufftResult make(const Index& sizes, cudaDataType in, cudaDataType out, long long batch = 1) {
    std::vector<long long> n(sizes.begin(), sizes.end());
    std::vector<std::size_t> work(numbers_.size(), 7);
    doubles_ = has_doubles(in);
    const auto execution = in == CUDA_C_16F ? CUDA_C_16F : doubles_ ? CUDA_C_64F : CUDA_C_32F;
    const auto result = library().cufftXtMakePlanMany(plan, static_cast<int>(n.size()), n.data(), nullptr, 1, 0, in,
                                                      nullptr, 1, 0, out, batch, work.data(), execution);
    EXPECT_EQ(work, result == CUFFT_SUCCESS ? sizes_of_parts() : std::vector<std::size_t>(numbers_.size(), 7));
    return result;
  }

  // Of each GPU: the memory that it has of the numbers.
  std::vector<std::size_t> sizes_of_parts() {
    std::vector<std::size_t> out(numbers_.size());
    for (const auto format : {CUFFT_XT_FORMAT_INPLACE, CUFFT_XT_FORMAT_INPLACE_SHUFFLED}) {
      Descriptor* part = nullptr;
      if (library().cufftXtMalloc(plan, &part, format) != CUFFT_SUCCESS) continue;
      for (std::size_t g = 0; g < out.size(); ++g) out[g] = std::max(out[g], part->memory->size[g]);
      EXPECT_EQ(library().cufftXtFree(part), CUFFT_SUCCESS);
    }
    return out;
  }

  Descriptor* memory(cufftXtSubFormat format) {
    Descriptor* out = nullptr;
    EXPECT_EQ(library().cufftXtMalloc(plan, &out, format), CUFFT_SUCCESS);
    made_.push_back(out);
    check(*out);
    return out;
  }

  cufftResult put(Descriptor* to, const std::vector<double>& numbers) {
    auto bytes = as_bytes(numbers, doubles_);
    return library().cufftXtMemcpy(plan, to, bytes.data(), CUFFT_COPY_HOST_TO_DEVICE);
  }
  std::vector<double> get(Descriptor* from, std::int64_t count) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) * (doubles_ ? 8 : 4));
    EXPECT_EQ(library().cufftXtMemcpy(plan, bytes.data(), from, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
    return as_numbers(bytes, doubles_);
  }
  // What one GPU holds, as a program reads it itself.
  std::vector<double> part(const Descriptor& of, int gpu, std::int64_t count) const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) * (doubles_ ? 8 : 4));
    EXPECT_LE(bytes.size(), of.memory->size[gpu]);
    const auto address = reinterpret_cast<cuda::CUdeviceptr>(of.memory->data[gpu]);
    EXPECT_EQ(library_test::gpu().get(bytes.data(), address, bytes.size()), cuda::CUDA_SUCCESS);
    return as_numbers(bytes, doubles_);
  }
  double tolerance() const { return doubles_ ? 1e-13 : 2e-6; }

  int plan = -1;

 private:
  // The memory is that of the GPUs.
  void check(const Descriptor& descriptor) const {
    const auto ask = library_test::gpu().find<decltype(&cuda::cuPointerGetAttribute)>("cuPointerGetAttribute");
    const auto& memory = *descriptor.memory;
    EXPECT_EQ(memory.gpu_count, static_cast<int>(numbers_.size()));
    for (int g = 0; g < memory.gpu_count; ++g) {
      EXPECT_EQ(memory.gpus[g], numbers_[static_cast<std::size_t>(g)]);
      int owner = -1;
      if (memory.size[g] == 0) continue;
      EXPECT_EQ(
          ask(&owner, cuda::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, reinterpret_cast<cuda::CUdeviceptr>(memory.data[g])),
          cuda::CUDA_SUCCESS);
      EXPECT_EQ(owner, memory.gpus[g]);
    }
  }

  std::vector<int> numbers_;
  std::vector<Descriptor*> made_;
  bool doubles_ = false;
};

inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  double largest = 1;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], tolerance * largest) << "number " << i;
}

}  // namespace nvmlkit::library_test
