// Graphs of products, reductions and pointwise functions, as attention has them; normalization; streams.
#include "graph.hpp"

namespace nvmlkit::library_test {
namespace {

Descriptor operation_of(const Descriptor& how, const Descriptor& x, const Descriptor* b, const Descriptor& y) {
  Descriptor out(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  out.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  out.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x).descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  if (b) out.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
  out.finished();
  return out;
}

Descriptor reduction_of(cudnnReduceTensorOp_t op, const Descriptor& x, const Descriptor& y) {
  Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR), out(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  how.choice(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
  how.choice(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finished();
  out.descriptor(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how).descriptor(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  out.descriptor(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y).finished();
  return out;
}

Descriptor product_of(const Descriptor& a, const Descriptor& b, const Descriptor& c) {
  Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR), out(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  how.choice(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finished();
  out.descriptor(CUDNN_ATTR_OPERATION_MATMUL_DESC, how).descriptor(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  out.descriptor(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b).descriptor(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c).finished();
  return out;
}

constexpr std::int64_t kHeads = 4, kShared = 2, kQueries = 3, kKeys = 5, kWidth = 6;

// Attention: neighboring heads share keys and values.
std::vector<double> attention(const std::vector<double>& q, const std::vector<double>& k,
                              const std::vector<double>& v) {
  std::vector<double> out;
  const auto at = [](const std::vector<double>& from, std::int64_t row, std::int64_t column) {
    return from[static_cast<std::size_t>(row * kWidth + column)];
  };
  for (std::int64_t head = 0; head < kHeads; ++head)
    for (std::int64_t i = 0; i < kQueries; ++i) {
      const auto shared = head * kShared / kHeads;
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t j = 0; j < kKeys; ++j) {
        double score = 0;
        for (std::int64_t d = 0; d < kWidth; ++d) score += at(q, head * kQueries + i, d) * at(k, shared * kKeys + j, d);
        weights.push_back(std::exp(score)), sum += weights.back();
      }
      for (std::int64_t d = 0; d < kWidth; ++d) {
        double value = 0;
        for (std::int64_t j = 0; j < kKeys; ++j)
          value += weights[static_cast<std::size_t>(j)] / sum * at(v, shared * kKeys + j, d);
        out.push_back(value);
      }
    }
  return out;
}

TEST(GraphOperations, Attention) {
  for (const auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_DOUBLE}) {
    Dice dice(9);
    const auto inner = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const Sizes of_q = {1, kHeads, kQueries, kWidth}, of_k = {1, kShared, kKeys, kWidth};
    const OnGpu q(type, of_q, dense(of_q), dice.numbers(count_of(of_q))),
        k(type, of_k, dense(of_k), dice.numbers(count_of(of_k))),
        v(type, of_k, dense(of_k), dice.numbers(count_of(of_k))),
        o(type, of_q, random_strides(of_q, dice), dice.numbers(count_of(of_q)));
    const Sizes scores = {1, kHeads, kQueries, kKeys}, rows = {1, kHeads, kQueries, 1};
    const auto inside = [&](const Sizes& sizes, std::int64_t id) {
      return tensor_of(inner, sizes, dense(sizes), id, true);
    };
    // The keys are read as their transpose.
    const Descriptor d_q = tensor_of(q, 1), d_v = tensor_of(v, 3), d_o = tensor_of(o, 4),
                     d_k = tensor_of(type, {1, kShared, kWidth, kKeys},
                                     {kShared * kKeys * kWidth, kKeys * kWidth, 1, kWidth}, 2);
    const Descriptor s = inside(scores, 10), most = inside(rows, 11), less = inside(scores, 12), e = inside(scores, 13),
                     sum = inside(rows, 14), p = inside(scores, 15);
    const Descriptor sub = pointwise_of(CUDNN_POINTWISE_SUB), exp = pointwise_of(CUDNN_POINTWISE_EXP),
                     div = pointwise_of(CUDNN_POINTWISE_DIV);
    const Descriptor all[] = {product_of(d_q, d_k, s),
                              reduction_of(CUDNN_REDUCE_TENSOR_MAX, s, most),
                              operation_of(sub, s, &most, less),
                              operation_of(exp, less, nullptr, e),
                              reduction_of(CUDNN_REDUCE_TENSOR_ADD, e, sum),
                              operation_of(div, e, &sum, p),
                              product_of(p, d_v, d_o)};
    std::vector<BackendDescriptor*> operations;
    for (const auto& one : all) operations.push_back(one.raw());
    const auto wanted = attention(q.read(), k.read(), v.read());
    run_graph(operations, {1, 2, 3, 4}, {q.address(), k.address(), v.address(), o.address()});
    expect_near(o.read(), wanted, o.tolerance(2), "attention");
  }
}

// Layer normalization saves its statistics; the gradient of the input is that of differences.
TEST(GraphOperations, LayerNormalization) {
  Dice dice(2);
  const Sizes sizes = {3, 4, 2, 1}, row = {1, 4, 2, 1}, small = {3, 1, 1, 1}, one = {1, 1, 1, 1};
  const auto tensor = [&](const Sizes& of) {
    return OnGpu(CUDNN_DATA_DOUBLE, of, dense(of), dice.numbers(count_of(of)));
  };
  const OnGpu x = tensor(sizes), y = tensor(sizes), scale = tensor(row), bias = tensor(row), mean = tensor(small),
              inverse = tensor(small), epsilon(CUDNN_DATA_DOUBLE, one, dense(one), {1e-3});
  Descriptor forward(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  const Descriptor d_x = tensor_of(x, 1), d_y = tensor_of(y, 2), d_s = tensor_of(scale, 3), d_b = tensor_of(bias, 4),
                   d_m = tensor_of(mean, 5), d_i = tensor_of(inverse, 6), d_e = tensor_of(epsilon, 7);
  forward.choice(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, CUDNN_LAYER_NORM);
  forward.choice(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
  forward.descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, d_x).descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, d_y);
  forward.descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, d_s)
      .descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, d_b);
  forward.descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, d_m)
      .descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, d_i);
  forward.descriptor(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, d_e).finished();
  run_graph({forward.raw()}, {1, 2, 3, 4, 5, 6, 7},
            {x.address(), y.address(), scale.address(), bias.address(), mean.address(), inverse.address(),
             epsilon.address()});
  const auto in = x.read(), s = scale.read(), b = bias.read();
  std::vector<double> wanted, means, inverses;
  for (std::size_t n = 0; n < 3; ++n) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += in[n * 8 + k] / 8, squares += in[n * 8 + k] * in[n * 8 + k] / 8;
    means.push_back(sum), inverses.push_back(1 / std::sqrt(squares - sum * sum + 1e-3));
    for (std::size_t k = 0; k < 8; ++k) wanted.push_back((in[n * 8 + k] - sum) * inverses[n] * s[k] + b[k]);
  }
  expect_near(y.read(), wanted, 1e-10, "layer normalization");
  expect_near(mean.read(), means, 1e-10, "mean");
  expect_near(inverse.read(), inverses, 1e-10, "inverse deviation");
}

// Work stands in the stream of its handle, behind what was there.
TEST(GraphOperations, Streams) {
  cuda::CUstream stream = nullptr;
  ASSERT_EQ(gpu().create_stream(&stream, cuda::CU_STREAM_NON_BLOCKING), cuda::CUDA_SUCCESS);
  Handle* own = nullptr;
  ASSERT_EQ(library().cudnnCreate(&own), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(library().cudnnSetStream(own, stream), CUDNN_STATUS_SUCCESS);
  Tensor* t = nullptr;
  ASSERT_EQ(library().cudnnCreateTensorDescriptor(&t), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(library().cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 1000),
            CUDNN_STATUS_SUCCESS);
  const OnDevice<float> y(std::vector<float>(1000, 1));
  const float two = 2;
  for (int k = 0; k < 10; ++k) ASSERT_EQ(library().cudnnScaleTensor(own, t, y.as<void>(), &two), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(gpu().wait_for(stream), cuda::CUDA_SUCCESS);
  EXPECT_EQ(y.read(), std::vector<float>(1000, 1024));
  EXPECT_EQ(library().cudnnDestroyTensorDescriptor(t), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnDestroy(own), CUDNN_STATUS_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::library_test
