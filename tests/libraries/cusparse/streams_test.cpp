// Streams, graphs, memory that was freed; numbers that are put in the place of others.
#include "formats.hpp"

namespace nvmlkit::library_test {
namespace {

Handle* another(cuda::CUstream stream) {
  Handle* handle = nullptr;
  EXPECT_EQ(library().cusparseCreate(&handle), kFine);
  EXPECT_EQ(library().cusparseSetStream(handle, stream), kFine);
  return handle;
}

cusparseStatus_t multiply(Handle* handle, const OnDeviceSparse<double>& a, const OnDeviceVector<double>& x,
                          const OnDeviceVector<double>& y) {
  const double one = 1;  // read before the call returns
  return library().cusparseSpMV(handle, kNone, &one, a.matrix, x.vector, &one, y.vector, CUDA_R_64F,
                                CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
}

// What is captured of `work`, launched so many times in a stream of its own; `between` comes before the launches.
template <class Work, class Between>
void run_as_graph(int times, Work work, Between between) {
  const auto begin = gpu().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  const auto end = gpu().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture");
  const auto instantiate = gpu().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto launch = gpu().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch");
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, 0), cuda::CUDA_SUCCESS);
  auto* const handle = another(stream);
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  ASSERT_EQ(begin(stream, cuda::CU_STREAM_CAPTURE_MODE_GLOBAL), cuda::CUDA_SUCCESS);
  ASSERT_EQ(work(handle), kFine);
  ASSERT_EQ(end(stream, &graph), cuda::CUDA_SUCCESS);
  EXPECT_EQ(library().cusparseDestroy(handle), kFine);
  between();
  ASSERT_EQ(instantiate(&executable, graph, 0), cuda::CUDA_SUCCESS);
  for (int k = 0; k < times; ++k) ASSERT_EQ(launch(executable, stream), cuda::CUDA_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
}

TEST(Streams, AGraphRunsItsWork) {
  Random random(41);
  const auto a = sparse_numbers<double>(random, 12, 12), x = dense_numbers<double>(random, 12, 1);
  const OnDeviceSparse<double> matrix(a, Form{});
  const OnDeviceVector<double> from(x), to(Numbers(12, 1));
  run_as_graph(
      2, [&](Handle* handle) { return multiply(handle, matrix, from, to); },
      [&] { EXPECT_EQ(to.get().largest(), 0); });  // nothing ran
  EXPECT_LE(distance(to.get(), a * x + a * x), 1e-13);
}

// NVIDIA's example of captured products of vectors has its result in memory of the host.
TEST(Streams, AGraphAnswersInMemoryOfTheHost) {
  const OnDevice<int> places(std::vector<int>{1, 4, 6});
  const OnDevice<double> numbers(std::vector<double>{2, 3, 5});
  Numbers all(8, 1);
  for (int i = 0; i < 8; ++i) all(i, 0) = i;
  const OnDeviceVector<double> dense(all);
  SparseVector* vector = nullptr;
  ASSERT_EQ(library().cusparseCreateSpVec(&vector, 8, 3, places.as(), numbers.as(), CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
            kFine);
  double result = -1;
  run_as_graph(
      1,
      [&](Handle* handle) {
        return library().cusparseSpVV(handle, kNone, vector, dense.vector, &result, CUDA_R_64F, nullptr);
      },
      [&] { EXPECT_EQ(result, -1); });
  EXPECT_EQ(result, 44);
  EXPECT_EQ(library().cusparseDestroySpVec(vector), kFine);
}

[[noreturn]] void run_with_freed_memory() {
  Random random(42);
  const OnDeviceSparse<double> matrix(sparse_numbers<double>(random, 12, 12), Form{});
  const OnDeviceVector<double> from(Numbers(12, 1)), to(Numbers(12, 1));
  void* address = nullptr;
  library().cusparseDnVecGetValues(from.vector, &address);
  gpu().free(reinterpret_cast<cuda::CUdeviceptr>(address));
  const auto first = multiply(sparse(), matrix, from, to);
  const bool is_illegal = gpu().wait() == cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
  const bool stays = multiply(sparse(), matrix, from, to) == CUSPARSE_STATUS_EXECUTION_FAILED;
  std::_Exit((first == kFine || first == CUSPARSE_STATUS_EXECUTION_FAILED) && is_illegal && stays ? 7 : 1);
}
TEST(StreamsDeathTest, FreedMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_with_freed_memory(), testing::ExitedWithCode(7), "");
}

// After an analysis, solves use the numbers of the matrix, then those that came later.
TEST(Streams, NewNumbersForSolves) {
  Random random(43);
  for (const auto op : {kNone, kTurned, kAdjoint}) {
    Numbers a(6, 6);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) a(i, j) = {random.number() + (i == j ? 3 : 0), random.number()};
    const auto b = dense_numbers<DoubleComplex>(random, 6, 1);
    const OnDeviceSparse<DoubleComplex> matrix(a, Form{});
    const OnDeviceVector<DoubleComplex> side(b), x(b);
    Solver* solver = nullptr;
    ASSERT_EQ(library().cusparseSpSV_createDescr(&solver), kFine);
    const DoubleComplex one = 1;
    const OnDevice<DoubleComplex> doubled(all_as<DoubleComplex>([&] {
      auto out = matrix.arrays.values;
      for (Number& number : out) number *= 2;
      return out;
    }()));
    EXPECT_EQ(library().cusparseSpSV_updateMatrix(sparse(), solver, doubled.as(), CUSPARSE_SPSV_UPDATE_GENERAL),
              kWrong);
    ASSERT_EQ(library().cusparseSpSV_analysis(sparse(), op, &one, matrix.matrix, side.vector, x.vector, CUDA_C_64F,
                                              CUSPARSE_SPSV_ALG_DEFAULT, solver, nullptr),
              kFine);
    const auto solve = [&] {
      EXPECT_EQ(library().cusparseSpSV_solve(sparse(), op, &one, matrix.matrix, side.vector, x.vector, CUDA_C_64F,
                                             CUSPARSE_SPSV_ALG_DEFAULT, solver),
                kFine);
      return x.get();
    };
    EXPECT_LE(distance(applied(op, a) * solve(), b), 1e-12);
    ASSERT_EQ(library().cusparseSpSV_updateMatrix(sparse(), solver, doubled.as(), CUSPARSE_SPSV_UPDATE_GENERAL), kFine);
    EXPECT_LE(distance(applied(op, a + a) * solve(), b), 1e-12);
    const OnDevice<DoubleComplex> fives(std::vector<DoubleComplex>(6, 5));
    ASSERT_EQ(library().cusparseSpSV_updateMatrix(sparse(), solver, fives.as(), CUSPARSE_SPSV_UPDATE_DIAGONAL), kFine);
    auto changed = a + a;
    for (int i = 0; i < 6; ++i) changed(i, i) = 5;
    EXPECT_LE(distance(applied(op, changed) * solve(), b), 1e-12);
    EXPECT_EQ(library().cusparseSpSV_destroyDescr(solver), kFine);
  }
}

TEST(Streams, NumbersAboveATolerance) {
  Random random(44);
  const auto a = sparse_numbers<float>(random, 9, 12, 60);
  const auto kept = a.only([&](int i, int j) { return std::abs(a(i, j)) > 0.5; });
  const OnDeviceSparse<float> from(a, Form{}), want(kept, Form{});
  MatrixOptions* options = nullptr;
  ASSERT_EQ(library().cusparseCreateMatDescr(&options), kFine);
  const OnDevice<int> by_row(std::vector<int>(9, -1)), offsets(std::vector<int>(10)),
      indices(std::vector<int>(static_cast<std::size_t>(from.count()) + 1));
  const OnDevice<float> values(std::vector<float>(static_cast<std::size_t>(from.count()) + 1));
  int total = -1;
  ASSERT_EQ(library().cusparseSnnz_compress(sparse(), 9, options, from.values.as(), from.offsets.as<int>(), by_row.as(),
                                            &total, 0.5f),
            kFine);
  EXPECT_EQ(total, want.count());
  ASSERT_EQ(library().cusparseScsr2csr_compress(sparse(), 9, 12, options, from.values.as(), from.indices.as<int>(),
                                                from.offsets.as<int>(), from.count(), by_row.as(), values.as(),
                                                indices.as(), offsets.as(), 0.5f),
            kFine);
  const auto begins = offsets.read(), columns = indices.read(), counts = by_row.read();
  const auto numbers = values.read();
  Numbers got(9, 12);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(counts[i], begins[i + 1] - begins[i]);
    for (auto k = static_cast<std::size_t>(begins[i]); k < static_cast<std::size_t>(begins[i + 1]); ++k)
      got(static_cast<int>(i), columns[k]) = wide(numbers[k]);
  }
  EXPECT_EQ(distance(got, kept), 0);
  EXPECT_EQ(library().cusparseDestroyMatDescr(options), kFine);
}

}  // namespace
}  // namespace nvmlkit::library_test
