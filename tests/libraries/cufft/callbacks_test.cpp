// Callbacks of a program in random transforms, beside the same transform of numbers that the host changed.
#include <cmath>

#include "cases.hpp"
#include "lto.hpp"

namespace nvmlkit::library_test {
namespace {

constexpr std::size_t kShared = 16 * 1024;

std::string element_text(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return "typedef float E;";
    case CUDA_R_64F:
      return "typedef double E;";
    case CUDA_C_32F:
      return "typedef float2 E;";
    default:
      return "typedef double2 E;";
  }
}

// What both callbacks make of a number: by the caller's factor, and by its place. Its way leads through the memory of
// the block.
std::string code_of(cudaDataType type, bool loads, const std::string& linkage) {
  const bool complex = !is_real(type);
  const std::string change = complex ? "e.x = e.x * by + offset % 7; e.y *= by;" : "e = e * by + offset % 7;";
  return element_text(type) + R"(
__device__ E changed(E e, unsigned long long offset, void* info, void* shared) {
  const double by = *(double*)info;
  )" + change +
         R"(
  ((E*)shared)[threadIdx.x] = e;
  return ((E*)shared)[threadIdx.x];
})" + linkage +
         (loads ? R"(
 __device__ E part(void* from, unsigned long long offset, void* info, void* shared) {
  return changed(((E*)from)[offset], offset, info, shared);
})"
                : R"(
 __device__ void part(void* to, unsigned long long offset, E element, void* info, void* shared) {
  ((E*)to)[offset] = changed(element, offset, info, shared);
})");
}

// The same by the host, of every element of a side.
void change(Memory& memory, const Layout& layout, const Index& sizes, long long batches, double by) {
  for (std::int64_t batch = 0; batch < batches; ++batch)
    each_index(sizes, [&](const Index& index) {
      const auto place = layout.at(index, batch);
      auto* const at = memory.numbers.data() + static_cast<std::size_t>(place) * memory.width();
      at[0] = at[0] * by + static_cast<double>(place % 7);
      if (memory.complex()) at[1] *= by;
    });
}

cufftXtCallbackType type_of(cudaDataType element, bool loads) {
  const int base = loads ? CUFFT_CB_LD_COMPLEX : CUFFT_CB_ST_COMPLEX;
  const int kind = element == CUDA_C_32F ? 0 : element == CUDA_C_64F ? 1 : element == CUDA_R_32F ? 2 : 3;
  return static_cast<cufftXtCallbackType>(base + kind);
}

int make(const Case& of, int plan) {
  std::vector<long long> sizes(of.sizes.begin(), of.sizes.end());
  auto in = of.left.embed, out = of.right.embed;
  std::size_t work = 1;
  return static_cast<int>(library().cufftXtMakePlanMany(
      plan, static_cast<int>(sizes.size()), sizes.data(), of.embedded ? in.data() : nullptr, of.left.stride,
      of.left.distance, of.in, of.embedded ? out.data() : nullptr, of.right.stride, of.right.distance, of.out, of.batch,
      &work, of.execution));
}

struct Which {
  bool load, store, fat, is_c;
};

// What a transform leaves in its output.
std::vector<std::uint8_t> run(const Case& of, const Memory& in, const Memory& out, const Which& which, int direction) {
  auto before = bytes_of(out);
  const auto given = bytes_of(in);
  if (of.in_place) {
    before.resize(std::max(before.size(), given.size()));
    std::copy(given.begin(), given.end(), before.begin());
  }
  const OnDevice<std::uint8_t> left(given), right(before);
  const OnDevice<double> factors({0.5, -1.25});
  int plan = -1;
  EXPECT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  const auto set = [&](bool loads) {
    const cudaDataType element = loads ? of.in : of.out;
    std::string code = lto_ir(compiler(), code_of(element, loads, which.is_c ? "extern \"C\"" : ""));
    if (which.fat) code = fat_binary_of(code);
    void* info = factors.as() + (loads ? 0 : 1);
    EXPECT_EQ(library().cufftXtSetJITCallback(plan, "part", code.data(), code.size(), type_of(element, loads), &info),
              CUFFT_SUCCESS);
  };
  if (which.load) set(true);
  if (which.store) set(false);
  EXPECT_EQ(make(of, plan), CUFFT_SUCCESS);
  for (const bool loads : {true, false})
    if (loads ? which.load : which.store) {
      EXPECT_EQ(library().cufftXtSetCallbackSharedSize(plan, type_of(loads ? of.in : of.out, loads), kShared),
                CUFFT_SUCCESS);
    }
  void* const source = of.in_place ? right.as<void>() : left.as<void>();
  EXPECT_EQ(library().cufftXtExec(plan, source, right.as<void>(), direction), CUFFT_SUCCESS);
  EXPECT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  if (!of.in_place) {
    EXPECT_EQ(left.read(), given) << "the input is changed";
  }
  return right.read();
}

// What lies between the elements too, unless the transform had its input there.
void expect_equal(const Case& of, const Index& sizes, const Memory& result, const Memory& expected) {
  double largest = 1;
  for (std::int64_t batch = 0; batch < of.batch; ++batch) {
    const auto got = gather(result, of.right, sizes, batch), wanted = gather(expected, of.right, sizes, batch);
    for (const Number& number : wanted) largest = std::max(largest, std::abs(number));
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_LE(std::abs(got[k] - wanted[k]), 4 * of.tolerance * largest);
  }
  for (std::size_t k = 0; !of.in_place && k < result.numbers.size(); ++k)
    EXPECT_NEAR(result.numbers[k], expected.numbers[k], 4 * of.tolerance * largest) << "number " << k;
}

// Each case with a callback on one side or on both, beside the same without.
class Callbacks : public testing::TestWithParam<unsigned> {};

TEST_P(Callbacks, ChangeEachElement) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  Generator generator(GetParam());
  for (unsigned i = 0; i < 3;) {
    Case of = generator.next();
    if (of.tolerance > 1e-5) continue;  // narrow floats have no callbacks
    // Of half a spectrum that no real numbers have, each method makes numbers of its own.
    if (is_real(of.out) && of.sizes.size() > 1) continue;
    const Which which{.load = i != 1, .store = i != 0, .fat = GetParam() % 2 == 0, .is_c = GetParam() % 3 == 0};
    const Index in_sizes = is_real(of.out) ? halved(of.sizes) : of.sizes;
    const Index out_sizes = is_real(of.in) ? halved(of.sizes) : of.sizes;
    Memory in = generator.numbers(of, of.in, of.left.distance * of.batch);
    const Memory out = generator.numbers(of, of.out, of.right.distance * of.batch);
    for (std::size_t k = 1; is_real(of.out) && k < in.numbers.size(); k += 2) in.numbers[k] = 0;
    const int direction = i % 2 ? -1 : 1;
    Memory result = out, expected = out, changed = in;
    read_bytes(result, run(of, in, out, which, direction));
    if (which.load) change(changed, of.left, in_sizes, of.batch, 0.5);
    read_bytes(expected, run(of, changed, out, {}, direction));
    if (which.store) change(expected, of.right, out_sizes, of.batch, -1.25);
    expect_equal(of, out_sizes, result, expected);
    if (HasFailure()) FAIL() << "case " << i << (of.in_place ? " in place" : "");
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Callbacks, testing::Range(1u, 13u));

// Captured, and run twice.
TEST(Callbacks, InGraphs) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  const auto code = lto_ir(compiler(), code_of(CUDA_C_32F, true, ""));
  const OnDevice<double> factor({2.0});
  const OnDevice<Complex> data(std::vector<Complex>{{1, 0}, {0, 0}, {0, 0}, {0, 0}});
  void* info = factor.as();
  int plan = -1;
  std::size_t work = 0;
  cuda::CUstream stream = nullptr;
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec ready = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 1), cuda::CUDA_SUCCESS);
  ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtSetJITCallback(plan, "part", code.data(), code.size(), CUFFT_CB_LD_COMPLEX, &info),
            CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftMakePlan1d(plan, 4, CUFFT_C2C, 1, &work), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, kShared), CUFFT_SUCCESS);
  ASSERT_EQ(library().cufftSetStream(plan, stream), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2")(
                stream, cuda::CU_STREAM_CAPTURE_MODE_RELAXED),
            cuda::CUDA_SUCCESS);
  ASSERT_EQ(library().cufftExecC2C(plan, data.as(), data.as(), -1), CUFFT_SUCCESS);
  ASSERT_EQ(gpu().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture")(stream, &graph), cuda::CUDA_SUCCESS);
  ASSERT_EQ(gpu().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags")(&ready, graph, 0),
            cuda::CUDA_SUCCESS);
  EXPECT_EQ(data.read()[0].x, 1);
  for (int i = 0; i < 2; ++i) {
    float sum = 0;
    const auto numbers = data.read();
    for (std::size_t k = 0; k < numbers.size(); ++k) sum += numbers[k].x * 2 + static_cast<float>(k);
    ASSERT_EQ(gpu().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch")(ready, stream), cuda::CUDA_SUCCESS);
    ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
    EXPECT_EQ(data.read()[0].x, sum) << i;
  }
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(Callbacks, AreRefusedWithoutASense) {
  int plan = -1;
  ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
  const auto set = [&](const char* symbol, const char* code, std::size_t size, int type) {
    return library().cufftXtSetJITCallback(plan, symbol, code, size, static_cast<cufftXtCallbackType>(type), nullptr);
  };
  EXPECT_EQ(set(nullptr, "code", 4, CUFFT_CB_LD_COMPLEX), CUFFT_INVALID_VALUE);
  EXPECT_EQ(set("part; int more", "code", 4, CUFFT_CB_LD_COMPLEX), CUFFT_INVALID_VALUE);
  EXPECT_EQ(set("part", nullptr, 4, CUFFT_CB_LD_COMPLEX), CUFFT_INVALID_VALUE);
  EXPECT_EQ(set("part", "code", 0, CUFFT_CB_LD_COMPLEX), CUFFT_INVALID_VALUE);
  EXPECT_EQ(set("part", "code", 4, CUFFT_CB_UNDEFINED), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, 16), CUFFT_INVALID_PLAN);
  EXPECT_EQ(set("part", "code", 4, CUFFT_CB_LD_COMPLEX), CUFFT_SUCCESS);
  EXPECT_EQ(library().cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, kShared + 1), CUFFT_ALLOC_FAILED);
  int gpus[] = {0, 1};
  EXPECT_EQ(library().cufftXtSetGPUs(plan, 2, gpus), CUFFT_NOT_SUPPORTED);
  std::size_t work = 0;
  EXPECT_EQ(library().cufftMakePlan1d(plan, 8, CUFFT_R2C, 1, &work), CUFFT_INVALID_TYPE);
  EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(Callbacks, OfAnImageWithoutThemAreRefused) {
  if (!has_compiler(compiler())) GTEST_SKIP() << kNoCompiler;
  const auto code = lto_ir(compiler(), code_of(CUDA_C_32F, true, ""));
  for (const bool is_code : {true, false}) {
    int plan = -1;
    ASSERT_EQ(library().cufftCreate(&plan), CUFFT_SUCCESS);
    const std::string given = is_code ? code : "this is no LTO-IR";
    EXPECT_EQ(library().cufftXtSetJITCallback(plan, is_code ? "another" : "part", given.data(), given.size(),
                                              CUFFT_CB_LD_COMPLEX, nullptr),
              CUFFT_SUCCESS);
    std::size_t work = 0;
    EXPECT_EQ(library().cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &work), CUFFT_NVJITLINK_FAILURE);
    EXPECT_EQ(library().cufftDestroy(plan), CUFFT_SUCCESS);
  }
}

// As the headers of CUDA 12.8 and 12.9 call it.
TEST(Callbacks, HaveANameOfARelease) { EXPECT_NE(library().find<void*>("__cufftXtSetJITCallback_12_7"), nullptr); }

}  // namespace
}  // namespace nvmlkit::library_test
