// Recurrent networks: the forward pass against its definition, the gradients against differences of it.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct NetworkCase {
  cudnnRNNMode_t mode;
  cudnnRNNBiasMode_t bias;
  int input, hidden, output, layers, directions, longest, batch;
  cudnnRNNDataLayout_t layout;
  std::vector<int> lengths;
  double bound = HUGE_VAL;  // of cells where they are read

  explicit NetworkCase(Dice& dice)
      : mode(static_cast<cudnnRNNMode_t>(dice.range(0, 3))),
        bias(static_cast<cudnnRNNBiasMode_t>(dice.range(0, 3))),
        input(dice.range(1, 4)),
        hidden(dice.range(1, 4)),
        output(hidden),
        layers(dice.range(1, 3)),
        directions(dice.range(1, 2)),
        longest(dice.range(1, 4)),
        batch(dice.range(1, 3)),
        layout(static_cast<cudnnRNNDataLayout_t>(dice.range(0, 2))) {
    if (mode == CUDNN_LSTM && dice.range(0, 1)) output = dice.range(1, hidden);
    for (int b = 0; b < batch; ++b) lengths.push_back(dice.range(1, longest));
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    lengths[0] = longest;
    if (mode == CUDNN_LSTM && dice.range(0, 1)) bound = 0.125 * dice.range(1, 4);
  }
  int gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  std::int64_t rows() const {
    if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) return std::int64_t{longest} * batch;
    std::int64_t out = 0;
    for (const int length : lengths) out += length;
    return out;
  }
  // Where an element of a sequence lies.
  std::size_t row(int t, int b) const {
    if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) return static_cast<std::size_t>(t * batch + b);
    if (layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED) return static_cast<std::size_t>(b * longest + t);
    int out = b;
    for (int step = 0; step < t; ++step)
      for (const int length : lengths) out += length > step;
    return static_cast<std::size_t>(out);
  }
};

// Memory and descriptors of a network, in double.
struct Network {
  NetworkCase c;
  Owned<Rnn> rnn{library().cudnnCreateRNNDescriptor, library().cudnnDestroyRNNDescriptor};
  Owned<RnnData> of_x{library().cudnnCreateRNNDataDescriptor, library().cudnnDestroyRNNDataDescriptor};
  Owned<RnnData> of_y{library().cudnnCreateRNNDataDescriptor, library().cudnnDestroyRNNDataDescriptor};
  TensorOf of_h, of_c;
  std::size_t weight_size = 0, reserve_size = 0;
  std::vector<double> x, hx, cx, weights;

  explicit Network(Dice& dice) : c(dice) {
    auto& l = library();
    EXPECT_EQ(l.cudnnSetRNNDescriptor_v8(rnn.get(), CUDNN_RNN_ALGO_STANDARD, c.mode, c.bias,
                                         c.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                                         CUDNN_LINEAR_INPUT, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH,
                                         c.input, c.hidden, c.output, c.layers, nullptr, 0),
              CUDNN_STATUS_SUCCESS);
    if (c.bound < HUGE_VAL) {
      EXPECT_EQ(l.cudnnRNNSetClip_v9(rnn.get(), CUDNN_RNN_CLIP_MINMAX, -c.bound, 2 * c.bound), CUDNN_STATUS_SUCCESS);
    }
    const auto set = [&](RnnData* data, int width) {
      EXPECT_EQ(l.cudnnSetRNNDataDescriptor(data, CUDNN_DATA_DOUBLE, c.layout, c.longest, c.batch, width,
                                            c.lengths.data(), nullptr),
                CUDNN_STATUS_SUCCESS);
    };
    set(of_x.get(), c.input), set(of_y.get(), c.directions * c.output);
    const auto states = [&](Tensor* t, int width) {
      const int sizes[] = {c.layers * c.directions, c.batch, width}, strides[] = {c.batch * width, width, 1};
      EXPECT_EQ(l.cudnnSetTensorNdDescriptor(t, CUDNN_DATA_DOUBLE, 3, sizes, strides), CUDNN_STATUS_SUCCESS);
    };
    states(of_h.get(), c.output), states(of_c.get(), c.hidden);
    EXPECT_EQ(l.cudnnGetRNNWeightSpaceSize(handle(), rnn.get(), &weight_size), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(
        l.cudnnGetRNNTempSpaceSizes(handle(), rnn.get(), CUDNN_FWD_MODE_TRAINING, of_x.get(), nullptr, &reserve_size),
        CUDNN_STATUS_SUCCESS);
    x = dice.numbers(c.rows() * c.input);
    hx = dice.numbers(std::int64_t{c.layers} * c.directions * c.batch * c.output);
    cx = dice.numbers(std::int64_t{c.layers} * c.directions * c.batch * c.hidden);
    weights = dice.numbers(static_cast<std::int64_t>(weight_size / sizeof(double)));
  }
  // The matrix or bias of a gate, by the library's own word; null where there is none.
  const double* part(int pseudo, int linear, bool is_bias) const {
    const TensorOf of_matrix, of_bias;
    void *matrix = nullptr, *bias = nullptr;
    EXPECT_EQ(library().cudnnGetRNNWeightParams(handle(), rnn.get(), pseudo, weight_size, weights.data(), linear,
                                                of_matrix.get(), &matrix, of_bias.get(), &bias),
              CUDNN_STATUS_SUCCESS);
    return static_cast<const double*>(is_bias ? bias : matrix);
  }
  struct Result {
    std::vector<double> y, hy, cy;
  };
  Result defined() const;
};

double dot(const double* a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t k = 0; k < b.size(); ++k) out += a[k] * b[k];
  return out;
}

// What each gate gets of input and output before.
struct Gates {
  std::vector<std::vector<double>> of_input, of_output;
  Gates(const Network& n, int pseudo, const std::vector<double>& in, const std::vector<double>& h) {
    const int gates = n.c.gates();
    for (int g = 0; g < 2 * gates; ++g) {
      const double* const matrix = n.part(pseudo, g, false);
      const double* const bias = n.part(pseudo, g, true);
      const auto& from = g < gates ? in : h;
      std::vector<double> sums;
      for (int k = 0; k < n.c.hidden; ++k)
        sums.push_back(dot(matrix + static_cast<std::size_t>(k) * from.size(), from) + (bias ? bias[k] : 0));
      (g < gates ? of_input : of_output).push_back(sums);
    }
  }
  double sum(int gate, std::size_t k) const {
    const auto g = static_cast<std::size_t>(gate);
    return of_input[g][k] + of_output[g][k];
  }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

void step(const Network& n, int pseudo, const std::vector<double>& in, std::vector<double>& h,
          std::vector<double>& cell) {
  const Gates gates(n, pseudo, in, h);
  std::vector<double> made(static_cast<std::size_t>(n.c.hidden));
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (n.c.mode == CUDNN_RNN_RELU) made[k] = std::max(0.0, gates.sum(0, k));
    if (n.c.mode == CUDNN_RNN_TANH) made[k] = std::tanh(gates.sum(0, k));
    if (n.c.mode == CUDNN_LSTM) {
      const auto read = [&] { return std::clamp(cell[k], -n.c.bound, 2 * n.c.bound); };
      cell[k] = logistic(gates.sum(1, k)) * read() + logistic(gates.sum(0, k)) * std::tanh(gates.sum(2, k));
      made[k] = logistic(gates.sum(3, k)) * std::tanh(read());
    }
    if (n.c.mode == CUDNN_GRU) {
      const double r = logistic(gates.sum(0, k)), z = logistic(gates.sum(1, k));
      made[k] = (1 - z) * std::tanh(gates.of_input[2][k] + r * gates.of_output[2][k]) + z * h[k];
    }
  }
  if (n.c.output == n.c.hidden) {
    h = made;
    return;
  }
  const double* const matrix = n.part(pseudo, 8, false);
  for (std::size_t k = 0; k < h.size(); ++k) h[k] = dot(matrix + k * made.size(), made);
}

Network::Result Network::defined() const {
  Result out{{}, hx, cx};
  std::vector<double> in = x;
  int width = c.input;
  for (int layer = 0; layer < c.layers; ++layer) {
    std::vector<double> made(static_cast<std::size_t>(c.rows() * c.directions * c.output));
    for (int d = 0; d < c.directions; ++d)
      for (int b = 0; b < c.batch; ++b) {
        const int pseudo = layer * c.directions + d, length = c.lengths[static_cast<std::size_t>(b)];
        double* const last_h = out.hy.data() + (pseudo * c.batch + b) * c.output;
        double* const last_cell = out.cy.data() + (pseudo * c.batch + b) * c.hidden;
        std::vector<double> h(last_h, last_h + c.output), cell(last_cell, last_cell + c.hidden);
        for (int s = 0; s < length; ++s) {
          const auto row = c.row(d ? length - 1 - s : s, b);
          const double* const own = in.data() + row * static_cast<std::size_t>(width);
          step(*this, pseudo, std::vector<double>(own, own + width), h, cell);
          std::copy(
              h.begin(), h.end(),
              made.data() + (row * static_cast<std::size_t>(c.directions) + static_cast<std::size_t>(d)) * h.size());
        }
        std::copy(h.begin(), h.end(), last_h), std::copy(cell.begin(), cell.end(), last_cell);
      }
    in = made, width = c.directions * c.output;
  }
  out.y = in;
  return out;
}

// A number that depends on all results.
double judged(const Network::Result& r, const Network::Result& by, bool has_cells) {
  return dot(r.y.data(), by.y) + dot(r.hy.data(), by.hy) + (has_cells ? dot(r.cy.data(), by.cy) : 0);
}

void expect_slopes(Network& n, std::vector<double>& values, const std::vector<double>& got, const Network::Result& by,
                   const std::string& what) {
  const bool has_cells = n.c.mode == CUDNN_LSTM;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double before = values[k], step = 1e-5;
    values[k] = before + step;
    const double above = judged(n.defined(), by, has_cells);
    values[k] = before - step;
    const double below = judged(n.defined(), by, has_cells);
    values[k] = before;
    ASSERT_NEAR(got[k], (above - below) / (2 * step), 1e-6 * (1 + std::abs(got[k]))) << what << " at " << k;
  }
}

TEST(Recurrent, ForwardAndGradients) {
  for (unsigned seed = 0; seed < (NVMLKIT_TEST_SANITIZED ? 8 : 40); ++seed) {
    Dice dice(seed);
    Network n(dice);
    auto& l = library();
    const auto what = "seed " + std::to_string(seed) + " mode " + std::to_string(n.c.mode);
    const auto wanted = n.defined();
    auto down = wanted;
    for (auto* const side : {&down.y, &down.hy, &down.cy})
      *side = dice.numbers(static_cast<std::int64_t>(side->size()));
    // Behind the end of a sequence there is no gradient.
    const auto width = static_cast<std::size_t>(n.c.directions * n.c.output);
    for (int b = 0; n.c.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && b < n.c.batch; ++b)
      for (int t = n.c.lengths[static_cast<std::size_t>(b)]; t < n.c.longest; ++t)
        std::fill_n(down.y.begin() + static_cast<std::ptrdiff_t>(n.c.row(t, b) * width), width, 0.0);
    const OnDevice<double> x(n.x), hx(n.hx), cx(n.cx), weights(n.weights), y(wanted.y), hy(wanted.hy), cy(wanted.cy),
        dy(down.y), dhy(down.hy), dcy(down.cy), dx(n.x), dhx(n.hx), dcx(n.cx),
        reserve(std::vector<double>(n.reserve_size / 8 + 1)), dweights(std::vector<double>(n.weights.size(), 0.5));
    ASSERT_EQ(l.cudnnRNNForward(handle(), n.rnn.get(), CUDNN_FWD_MODE_TRAINING, nullptr, n.of_x.get(), x.as<void>(),
                                n.of_y.get(), y.as<void>(), n.of_h.get(), hx.as<void>(), hy.as<void>(), n.of_c.get(),
                                cx.as<void>(), cy.as<void>(), n.weight_size, weights.as<void>(), 0, nullptr,
                                n.reserve_size, reserve.as<void>()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(
        l.cudnnRNNBackwardData_v8(handle(), n.rnn.get(), nullptr, n.of_y.get(), y.as<void>(), dy.as<void>(),
                                  n.of_x.get(), dx.as<void>(), n.of_h.get(), hx.as<void>(), dhy.as<void>(),
                                  dhx.as<void>(), n.of_c.get(), cx.as<void>(), dcy.as<void>(), dcx.as<void>(),
                                  n.weight_size, weights.as<void>(), 0, nullptr, n.reserve_size, reserve.as<void>()),
        CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(
        l.cudnnRNNBackwardWeights_v8(handle(), n.rnn.get(), CUDNN_WGRAD_MODE_ADD, nullptr, n.of_x.get(), x.as<void>(),
                                     n.of_h.get(), hx.as<void>(), n.of_y.get(), y.as<void>(), n.weight_size,
                                     dweights.as<void>(), 0, nullptr, n.reserve_size, reserve.as<void>()),
        CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(y.read(), wanted.y, 1e-12, what);
    expect_near(hy.read(), wanted.hy, 1e-12, what);
    if (n.c.mode == CUDNN_LSTM) expect_near(cy.read(), wanted.cy, 1e-12, what);
    auto of_weights = dweights.read();
    for (auto& v : of_weights) v -= 0.5;
    expect_slopes(n, n.x, dx.read(), down, what + " x");
    expect_slopes(n, n.hx, dhx.read(), down, what + " hx");
    if (n.c.mode == CUDNN_LSTM) expect_slopes(n, n.cx, dcx.read(), down, what + " cx");
    expect_slopes(n, n.weights, of_weights, down, what + " weights");
  }
}

TEST(Recurrent, NetworksThatCannotBe) {
  Dice dice(1);
  Network n(dice);
  auto& l = library();
  const auto set = [&](int hidden, int projected, cudnnRNNMode_t mode) {
    return l.cudnnSetRNNDescriptor_v8(n.rnn.get(), CUDNN_RNN_ALGO_STANDARD, mode, CUDNN_RNN_DOUBLE_BIAS,
                                      CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                      CUDNN_DEFAULT_MATH, 3, hidden, projected, 1, nullptr, 0);
  };
  EXPECT_EQ(set(0, 0, CUDNN_LSTM), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(4, 5, CUDNN_LSTM), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(4, 3, CUDNN_GRU), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(set(4, 4, CUDNN_GRU), CUDNN_STATUS_SUCCESS);
  const int rising[] = {1, 2};
  EXPECT_EQ(l.cudnnSetRNNDataDescriptor(n.of_x.get(), CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, 2, 2, 3,
                                        rising, nullptr),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(l.cudnnGetRNNWeightSpaceSize(handle(), nullptr, &n.weight_size), CUDNN_STATUS_BAD_PARAM);
}

}  // namespace
}  // namespace nvmlkit::library_test
