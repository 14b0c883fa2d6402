// Tensors that are added, combined, reduced, set and scaled.
#include <numeric>

#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

OnGpu random_tensor(cudnnDataType_t type, const Sizes& sizes, Dice& dice) {
  return {type, sizes, random_strides(sizes, dice), dice.numbers(count_of(sizes))};
}

// Two tensors whose sizes are 1 or those of the result.
struct Pair {
  cudnnDataType_t type;
  Sizes sizes, small;
  explicit Pair(Dice& dice)
      : type(random_type(dice)), sizes{dice.range(1, 3), dice.range(1, 4), dice.range(1, 4), dice.range(1, 4)} {
    for (const auto size : sizes) small.push_back(dice.range(0, 1) ? 1 : size);
  }
  std::size_t place(std::size_t k) const {
    Sizes at(4);
    for (std::size_t d = 4; d-- > 0; k /= static_cast<std::size_t>(sizes[d]))
      at[d] = static_cast<std::int64_t>(k % static_cast<std::size_t>(sizes[d]));
    std::size_t out = 0;
    for (std::size_t d = 0; d < 4; ++d)
      out = out * static_cast<std::size_t>(small[d]) + static_cast<std::size_t>(small[d] == 1 ? 0 : at[d]);
    return out;
  }
};

TEST(Arithmetic, AddSetScaleTransform) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Dice dice(seed);
    const Pair p(dice);
    const OnGpu a = random_tensor(p.type, p.small, dice), c = random_tensor(p.type, p.sizes, dice),
                d = random_tensor(p.type, p.sizes, dice);
    const TensorOf of_a(a), of_c(c), of_d(d);
    const Factor half(0.5, p.type), two(2, p.type), one(1, p.type), zero(0, p.type);
    const auto add = a.read();
    auto wanted = c.read();
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = 2 * wanted[k] + 0.5 * add[p.place(k)];
    ASSERT_EQ(
        library().cudnnAddTensor(handle(), half.get(), of_a.get(), a.address(), two.get(), of_c.get(), c.address()),
        CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformTensor(handle(), one.get(), of_c.get(), c.address(), zero.get(), of_d.get(),
                                             d.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(c.read(), wanted, c.tolerance(), "add");
    EXPECT_EQ(d.read(), c.read());
    ASSERT_EQ(library().cudnnScaleTensor(handle(), of_d.get(), d.address(), half.get()), CUDNN_STATUS_SUCCESS);
    wait();
    for (auto& v : wanted) v /= 2;
    expect_near(d.read(), wanted, d.tolerance(), "scale");
    if (p.small != p.sizes) {
      EXPECT_EQ(
          library().cudnnAddTensor(handle(), one.get(), of_c.get(), c.address(), one.get(), of_a.get(), a.address()),
          CUDNN_STATUS_BAD_PARAM);
    }
  }
  const OnGpu y(CUDNN_DATA_FLOAT, {2, 3}, {3, 1}, std::vector<double>(6));
  const TensorOf of_y(y);
  const float value = 1.5F;
  ASSERT_EQ(library().cudnnSetTensor(handle(), of_y.get(), y.address(), &value), CUDNN_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(y.read(), std::vector<double>(6, 1.5));
}

double combined(cudnnOpTensorOp_t op, double a, double b) {
  if (op == CUDNN_OP_TENSOR_ADD) return a + b;
  if (op == CUDNN_OP_TENSOR_MUL) return a * b;
  if (op == CUDNN_OP_TENSOR_MIN) return std::min(a, b);
  if (op == CUDNN_OP_TENSOR_MAX) return std::max(a, b);
  return op == CUDNN_OP_TENSOR_SQRT ? std::sqrt(a) : 1 - a;
}

TEST(Arithmetic, Combinations) {
  const Owned<OpTensor> how(library().cudnnCreateOpTensorDescriptor, library().cudnnDestroyOpTensorDescriptor);
  for (unsigned seed = 0; seed < 36; ++seed) {
    Dice dice(seed);
    const Pair p(dice);
    const auto op = static_cast<cudnnOpTensorOp_t>(seed % 6);
    const auto type = p.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    ASSERT_EQ(library().cudnnSetOpTensorDescriptor(how.get(), op, type, CUDNN_PROPAGATE_NAN), CUDNN_STATUS_SUCCESS);
    auto positive = dice.numbers(count_of(p.sizes));
    for (auto& v : positive) v = std::abs(v);
    const OnGpu a(p.type, p.sizes, random_strides(p.sizes, dice), positive), b = random_tensor(p.type, p.small, dice),
                                                                             c = random_tensor(p.type, p.sizes, dice);
    const TensorOf of_a(a), of_b(b), of_c(c);
    const Factor two(2, p.type), half(0.5, p.type), one(1, p.type);
    const auto x = a.read(), y = b.read();
    auto wanted = c.read();
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += combined(op, 2 * x[k], 0.5 * y[p.place(k)]);
    ASSERT_EQ(library().cudnnOpTensor(handle(), how.get(), two.get(), of_a.get(), a.address(), half.get(), of_b.get(),
                                      b.address(), one.get(), of_c.get(), c.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(c.read(), wanted, c.tolerance(2), "operation " + std::to_string(op));
  }
}

double reduced(cudnnReduceTensorOp_t op, const std::vector<double>& v) {
  const auto fold = [&](double start, auto join) { return std::accumulate(v.begin(), v.end(), start, join); };
  switch (op) {
    case CUDNN_REDUCE_TENSOR_MUL:
      return fold(1, [](double s, double x) { return s * x; });
    case CUDNN_REDUCE_TENSOR_MIN:
      return *std::min_element(v.begin(), v.end());
    case CUDNN_REDUCE_TENSOR_MAX:
      return *std::max_element(v.begin(), v.end());
    case CUDNN_REDUCE_TENSOR_AMAX:
      return fold(0, [](double s, double x) { return std::max(s, std::abs(x)); });
    case CUDNN_REDUCE_TENSOR_AVG:
      return fold(0, std::plus<>()) / static_cast<double>(v.size());
    case CUDNN_REDUCE_TENSOR_NORM1:
      return fold(0, [](double s, double x) { return s + std::abs(x); });
    case CUDNN_REDUCE_TENSOR_NORM2:
      return std::sqrt(fold(0, [](double s, double x) { return s + x * x; }));
    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
      return fold(1, [](double s, double x) { return x == 0 ? s : s * x; });
    default:
      return fold(0, std::plus<>());
  }
}

TEST(Arithmetic, Reductions) {
  const Owned<ReduceTensor> how(library().cudnnCreateReduceTensorDescriptor,
                                library().cudnnDestroyReduceTensorDescriptor);
  for (unsigned seed = 0; seed < 45; ++seed) {
    Dice dice(seed);
    const Pair p(dice);
    const auto op = static_cast<cudnnReduceTensorOp_t>(seed % 9);
    ASSERT_EQ(library().cudnnSetReduceTensorDescriptor(how.get(), op, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
                                                       CUDNN_REDUCE_TENSOR_FLATTENED_INDICES, CUDNN_32BIT_INDICES),
              CUDNN_STATUS_SUCCESS);
    const OnGpu a = random_tensor(p.type, p.sizes, dice), c = random_tensor(p.type, p.small, dice);
    const TensorOf of_a(a), of_c(c);
    std::size_t size = 0;
    ASSERT_EQ(library().cudnnGetReductionIndicesSize(handle(), how.get(), of_a.get(), of_c.get(), &size),
              CUDNN_STATUS_SUCCESS);
    const OnDevice<std::int32_t> indices(std::vector<std::int32_t>(size / 4 + 1));
    const Factor one(1, p.type), zero(0, p.type);
    ASSERT_EQ(library().cudnnReduceTensor(handle(), how.get(), indices.as<void>(), size, nullptr, 0, one.get(),
                                          of_a.get(), a.address(), zero.get(), of_c.get(), c.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    std::vector<std::vector<double>> groups(static_cast<std::size_t>(count_of(p.small)));
    const auto in = a.read(), got = c.read();
    for (std::size_t k = 0; k < in.size(); ++k) groups[p.place(k)].push_back(in[k]);
    std::vector<double> wanted;
    for (const auto& group : groups) wanted.push_back(reduced(op, group));
    expect_near(got, wanted, c.tolerance(2), "reduction " + std::to_string(op));
    const auto places = indices.read();
    for (std::size_t k = 0; (op == CUDNN_REDUCE_TENSOR_MAX || op == CUDNN_REDUCE_TENSOR_MIN) && k < groups.size(); ++k)
      EXPECT_EQ(groups[k][static_cast<std::size_t>(places[k])], got[k]);
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
