// Attention of several heads on random shapes: the output against its definition, gradients against differences of it.
#include "attention_layer.hpp"

namespace nvmlkit::library_test {
namespace {

// Elements of an output that belong to a sequence.
std::vector<bool> is_there(const AttentionCase& c, int side) {
  std::vector<bool> out(static_cast<std::size_t>(c.count(side)));
  const auto& lengths = side == 1 || side == 2 ? c.key_lengths : c.query_lengths;
  for (int b = 0; b < c.batches; ++b)
    for (int m = 0; m < c.beams_of(side); ++m)
      for (int t = 0; t < lengths[static_cast<std::size_t>(b * c.beams_of(side) + m)]; ++t)
        for (int i = 0; i < c.width_of(side); ++i) out[place(c, side, b, m, t) + static_cast<std::size_t>(i)] = true;
  return out;
}

void expect_same(const AttentionCase& c, int side, const std::vector<double>& got, const std::vector<double>& wanted,
                 double tolerance) {
  const auto there = is_there(c, side);
  for (std::size_t k = 0; k < got.size(); ++k)
    if (there[k]) {
      ASSERT_NEAR(got[k], wanted[k], tolerance * (1 + std::abs(wanted[k]))) << "side " << side << " at " << k;
    }
}

class Attentions : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Random, Attentions, testing::Range(0u, 8u));

TEST_P(Attentions, EqualTheirDefinition) {
  Dice dice(GetParam());
  for (int i = 0; i < 12; ++i) {
    auto c = random_attention(dice);
    constexpr cudnnDataType_t kTypes[] = {CUDNN_DATA_DOUBLE, CUDNN_DATA_FLOAT, CUDNN_DATA_HALF};
    c.type = kTypes[i % 3];
    const auto d = random_data(c, dice);
    const Setting s(c, d, dice);
    const Layer layer(c, d);
    const bool is_training = dice.range(0, 1);
    ASSERT_EQ(layer.forward(s.sides, c.has_residuals ? &s.residuals : nullptr, is_training), CUDNN_STATUS_SUCCESS);
    wait();
    expect_same(c, 3, s.sides[3].read(), attended(c, d), c.type == CUDNN_DATA_HALF ? 0.05 : s.sides[3].tolerance());
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST_P(Attentions, MakeOneStep) {
  Dice dice(100 + GetParam());
  const auto c = random_attention(dice);
  const auto d = random_data(c, dice);
  const Setting s(c, d, dice);
  const Layer layer(c, d);
  const int current = dice.range(0, c.queries - 1);
  auto wanted = s.sides[3].read();
  const auto whole = attended(c, d);
  for (int b = 0; b < c.batches; ++b)
    for (int m = 0; m < c.beams; ++m)
      if (current < c.query_lengths[static_cast<std::size_t>(b * c.beams + m)])
        std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(place(c, 3, b, m, current)), c.output(),
                    wanted.begin() + static_cast<std::ptrdiff_t>(place(c, 3, b, m, current)));
  ASSERT_EQ(layer.forward(s.sides, c.has_residuals ? &s.residuals : nullptr, false, current), CUDNN_STATUS_SUCCESS);
  wait();
  expect_near(s.sides[3].read(), wanted, s.sides[3].tolerance(), "the other steps stay");
  EXPECT_EQ(layer.forward(s.sides, nullptr, false, c.queries), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(layer.forward(s.sides, nullptr, true, 0), CUDNN_STATUS_BAD_PARAM);
}

// The sum of the output, weighted by `by`, as each number of `of` changes.
std::vector<double> differences(const AttentionCase& c, AttentionData& d, std::vector<double>& of,
                                const std::vector<double>& by) {
  constexpr double kStep = 1e-5;
  std::vector<double> out;
  const auto sum = [&] {
    double found = 0;
    const auto all = attended(c, d);
    for (std::size_t k = 0; k < all.size(); ++k) found += all[k] * by[k];
    return found;
  };
  for (double& number : of) {
    const double before = number;
    number = before + kStep;
    const double above = sum();
    number = before - kStep;
    out.push_back((above - sum()) / (2 * kStep));
    number = before;
  }
  return out;
}

TEST_P(Attentions, HaveGradients) {
  Dice dice(200 + GetParam());
  for (int i = 0; i < 3; ++i) {
    const auto c = random_attention(dice);
    auto d = random_data(c, dice);
    const Setting s(c, d, dice);
    const Layer layer(c, d);
    const auto by = dice.numbers(c.count(3));
    const OnSide gradient(c, 3, s.axes, by);
    const OnSide to[] = {{c, 0, s.axes, dice.numbers(c.count(0))},
                         {c, 1, s.axes, dice.numbers(c.count(1))},
                         {c, 2, s.axes, dice.numbers(c.count(2))}};
    const OnSide(&all)[4] = s.sides;
    // The descriptors of gradients are those of their sides, too.
    const OnSide same[] = {{c, 0, s.axes, d.sides[0]},
                           {c, 1, s.axes, d.sides[1]},
                           {c, 2, s.axes, d.sides[2]},
                           {c, 3, s.axes, all[3].read()}};
    ASSERT_EQ(layer.forward(same, nullptr, true), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(layer.to_data(same, gradient, to), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(layer.to_weights(same, gradient, CUDNN_WGRAD_MODE_SET), CUDNN_STATUS_SUCCESS);
    wait();
    for (int side = 0; side < 3; ++side)
      expect_same(c, side, to[side].read(), differences(c, d, d.sides[side], by), 1e-7);
    for (int side = 0; side < 4; ++side) {
      expect_near(layer.gradient(side), differences(c, d, d.weights[side], by), 1e-7, "weights");
      expect_near(layer.gradient(4 + side), differences(c, d, d.biases[side], by), 1e-7, "biases");
    }
    const auto once = layer.gradient(3);
    ASSERT_EQ(layer.to_weights(same, gradient, CUDNN_WGRAD_MODE_ADD), CUDNN_STATUS_SUCCESS);
    wait();
    auto twice = layer.gradient(3);
    for (double& number : twice) number /= 2;
    expect_near(twice, once, 1e-12, "added");
    if (HasFailure()) FAIL() << "case " << i;
  }
}

struct Drops {
  explicit Drops(float rate)
      : of(library().cudnnCreateDropoutDescriptor, library().cudnnDestroyDropoutDescriptor),
        states(std::vector<unsigned char>(64)) {
    EXPECT_EQ(library().cudnnSetDropoutDescriptor(of.get(), handle(), rate, states.as<void>(), 64, 7),
              CUDNN_STATUS_SUCCESS);
  }
  Owned<Dropout> of;
  OnDevice<unsigned char> states;
};

// With what was dropped, the output is linear in the values: its gradient gives it back.
TEST_P(Attentions, DropTheSameOnTheWayBack) {
  Dice dice(300 + GetParam());
  auto c = random_attention(dice);
  c.has_biases = c.has_residuals = false;
  c.queries = 5, c.query_lengths.assign(c.query_lengths.size(), 5);
  c.from.assign(5, 0), c.to.assign(5, c.keys);
  const auto d = random_data(c, dice);
  const Setting s(c, d, dice);
  const Drops shares(0.5f), output(0.25f);
  const Layer layer(c, d, shares.of.get(), output.of.get());
  ASSERT_EQ(layer.forward(s.sides, nullptr, true), CUDNN_STATUS_SUCCESS);
  wait();
  const auto out = s.sides[3].read();
  EXPECT_GT(std::count(out.begin(), out.end(), 0.0), 0) << "something is dropped";
  const auto by = dice.numbers(c.count(3));
  const OnSide gradient(c, 3, s.axes, by);
  const Setting to(c, d, dice);
  const OnSide same[] = {
      {c, 0, s.axes, d.sides[0]}, {c, 1, s.axes, d.sides[1]}, {c, 2, s.axes, d.sides[2]}, {c, 3, s.axes, out}};
  ASSERT_EQ(layer.forward(same, nullptr, true), CUDNN_STATUS_SUCCESS);
  const OnSide found[] = {
      {c, 0, s.axes, d.sides[0]}, {c, 1, s.axes, d.sides[1]}, {c, 2, s.axes, std::vector<double>(d.sides[2].size())}};
  ASSERT_EQ(layer.to_data(same, gradient, found), CUDNN_STATUS_SUCCESS);
  wait();
  double forward = 0, back = 0;
  const auto again = same[3].read(), of_values = found[2].read();
  EXPECT_NE(again, out) << "another pass drops others";
  for (std::size_t k = 0; k < by.size(); ++k) forward += by[k] * again[k];
  for (std::size_t k = 0; k < of_values.size(); ++k) back += of_values[k] * d.sides[2][k];
  EXPECT_NEAR(forward, back, 1e-9 * (1 + std::abs(forward)));
}

}  // namespace
}  // namespace nvmlkit::library_test
