// Folding of the space into channels, and back; gradients of convolutions with steps by those of folded ones.
#include "descriptors.hpp"

namespace nvmlkit::library_test {
namespace {

struct FoldOf : Owned<TensorTransform> {
  FoldOf() : Owned(library().cudnnCreateTensorTransformDescriptor, library().cudnnDestroyTensorTransformDescriptor) {}
  FoldOf(const Sizes& before, const Sizes& after, const std::vector<std::uint32_t>& folds,
         cudnnFoldingDirection_t direction)
      : FoldOf() {
    EXPECT_EQ(library().cudnnSetTensorTransformDescriptor(get(), static_cast<std::uint32_t>(before.size()),
                                                          CUDNN_TENSOR_NCHW, narrow(before).data(),
                                                          narrow(after).data(), folds.data(), direction),
              CUDNN_STATUS_SUCCESS);
  }
};

Sizes index_of(std::int64_t place, const Sizes& sizes) {
  Sizes out(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0; place /= sizes[d]) out[d] = place % sizes[d];
  return out;
}
std::size_t place_of(const Sizes& at, const Sizes& sizes) {
  std::int64_t out = 0;
  for (std::size_t d = 0; d < at.size(); ++d) out = out * sizes[d] + at[d];
  return static_cast<std::size_t>(out);
}

// A random padding and folding of a tensor.
struct Fold {
  Sizes from, before, after, to;
  std::vector<std::uint32_t> folds;

  explicit Fold(Dice& dice) {
    const auto rank = static_cast<std::size_t>(dice.range(4, 5));
    std::int64_t product = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      from.push_back(dice.range(2, 6)), before.push_back(dice.range(0, 2)), after.push_back(dice.range(0, 2));
      to.push_back(from[d] + before[d] + after[d]);
      if (d < 2) continue;
      folds.push_back(static_cast<std::uint32_t>(dice.range(1, 3)));
      to[d] = (to[d] + folds[d - 2] - 1) / folds[d - 2];
      product *= folds[d - 2];
    }
    to[1] *= product;
    is_plain = product == 1;
  }
  // Where an element of the source comes to.
  std::size_t place(std::int64_t k) const {
    Sizes at = index_of(k, from);
    std::int64_t block = 0;
    for (std::size_t d = 2; d < at.size(); ++d) {
      const auto padded = at[d] + before[d], by = static_cast<std::int64_t>(folds[d - 2]);
      block = block * by + padded % by;
      at[d] = padded / by;
    }
    at[0] += before[0];
    at[1] += before[1] + block * from[1];
    return place_of(at, to);
  }
  bool is_plain = false;
};

cudnnStatus_t transform(const FoldOf& how, double a, const OnGpu& x, double b, const OnGpu& y) {
  const TensorOf of_x(x), of_y(y);
  const Factor alpha(a, y.type()), beta(b, y.type());
  const auto status = library().cudnnTransformTensorEx(handle(), how.get(), alpha.get(), of_x.get(), x.address(),
                                                       beta.get(), of_y.get(), y.address());
  wait();
  return status;
}

TEST(Folding, ThereAndBack) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    const Fold f(dice);
    const FoldOf fold(f.before, f.after, f.folds, CUDNN_TRANSFORM_FOLD);
    const auto type = random_type(dice);
    const OnGpu x(type, f.from, random_strides(f.from, dice), dice.numbers(count_of(f.from)));
    const OnGpu y(type, f.to, random_strides(f.to, dice), dice.numbers(count_of(f.to)));
    const auto given = x.read();
    std::vector<double> wanted(static_cast<std::size_t>(count_of(f.to)));
    for (std::size_t k = 0; k < given.size(); ++k) wanted[f.place(static_cast<std::int64_t>(k))] = 2 * given[k];
    ASSERT_EQ(transform(fold, 2, x, 0, y), CUDNN_STATUS_SUCCESS);
    expect_near(y.read(), wanted, y.tolerance(), "folded " + std::to_string(seed));
    if (f.is_plain) continue;
    EXPECT_EQ(transform(fold, 1, x, 0.5, y), CUDNN_STATUS_NOT_SUPPORTED);
    // Back: what was added is cut.
    Sizes cut_before, cut_after;
    for (std::size_t d = 0; d < f.from.size(); ++d) {
      const auto by = d < 2 ? 1 : static_cast<std::int64_t>(f.folds[d - 2]);
      const auto whole = d == 1 ? f.from[1] + f.before[1] + f.after[1] : f.to[d] * by;
      cut_before.push_back(-f.before[d]);
      cut_after.push_back(f.from[d] + f.before[d] - whole);
    }
    const FoldOf unfold(cut_before, cut_after, f.folds, CUDNN_TRANSFORM_UNFOLD);
    const OnGpu z(type, f.from, random_strides(f.from, dice), dice.numbers(count_of(f.from)));
    auto again = z.read();
    for (std::size_t k = 0; k < again.size(); ++k) again[k] = given[k] + 0.5 * again[k];
    ASSERT_EQ(transform(unfold, 0.5, y, 0.5, z), CUDNN_STATUS_SUCCESS);
    expect_near(z.read(), again, z.tolerance(2), "unfolded " + std::to_string(seed));
  }
}

TEST(Folding, ChannelsAreNotMade) {
  Dice dice(1);
  const Sizes from{1, 4, 2, 2}, to{1, 2, 4, 4};
  const OnGpu x(CUDNN_DATA_FLOAT, from, dense(from), dice.numbers(16)),
      y(CUDNN_DATA_FLOAT, to, dense(to), dice.numbers(32));
  const FoldOf unfold({0, 0, 0, 0}, {0, 1, 0, 0}, {2, 2}, CUDNN_TRANSFORM_UNFOLD);
  testing::internal::CaptureStderr();
  EXPECT_EQ(transform(unfold, 1, x, 0, y), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "nvmlkit: cudnnTransformTensorEx unfolding into more channels is not simulated\n");
}

// The descriptors of a folded convolution, and memory for them.
struct FoldedConvolution {
  FilterOf w{CUDNN_DATA_DOUBLE, {1, 1, 1, 1}, CUDNN_TENSOR_NCHW};
  TensorOf dy, dx;
  Owned<Convolution> how{library().cudnnCreateConvolutionDescriptor, library().cudnnDestroyConvolutionDescriptor};
  FoldOf fold_w, pad_dy, fold_dx, unfold_dx;

  cudnnStatus_t set(const FilterOf& of_w, const TensorOf& of_dy, const ConvolutionOf& c, const TensorOf& of_dx) {
    return library().cudnnGetFoldedConvBackwardDataDescriptors(
        handle(), of_w.get(), of_dy.get(), c.get(), of_dx.get(), CUDNN_TENSOR_NCHW, w.get(), dy.get(), how.get(),
        dx.get(), fold_w.get(), pad_dy.get(), fold_dx.get(), unfold_dx.get());
  }
};

OnDevice<double> zeros(std::size_t bytes) { return OnDevice<double>(std::vector<double>(bytes / 8)); }

TEST(Folding, MakesTheGradientsOfConvolutions) {
  int tried = 0;
  for (unsigned seed = 0; tried < 40 && seed < 2000; ++seed) {
    Dice dice(seed);
    const ConvolutionCase c(dice, 2);
    if (c.groups > 1 || c.flips || c.dilation[0] > 1 || c.dilation[1] > 1) continue;
    bool reaches = true;  // more than padding
    for (std::size_t k = 0; k < 2; ++k) reaches = reaches && (c.y[k + 2] - 1) * c.stride[k] + c.w[k + 2] > c.pad[k];
    ++tried;
    const OnGpu dy(CUDNN_DATA_DOUBLE, c.y, dense(c.y), dice.numbers(count_of(c.y))),
        w(CUDNN_DATA_DOUBLE, c.w, dense(c.w), dice.numbers(count_of(c.w))),
        dx(CUDNN_DATA_DOUBLE, c.x, dense(c.x), dice.numbers(count_of(c.x))),
        again(CUDNN_DATA_DOUBLE, c.x, dense(c.x), dice.numbers(count_of(c.x)));
    const TensorOf of_dy(dy), of_dx(dx);
    const FilterOf of_w(CUDNN_DATA_DOUBLE, c.w, CUDNN_TENSOR_NCHW);
    const ConvolutionOf how(c);
    FoldedConvolution folded;
    ASSERT_EQ(folded.set(of_w, of_dy, how, of_dx), reaches ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM);
    if (!reaches) continue;
    std::size_t bytes_w = 0, bytes_dy = 0, bytes_dx = 0;
    ASSERT_EQ(library().cudnnGetFilterSizeInBytes(folded.w.get(), &bytes_w), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnGetTensorSizeInBytes(folded.dy.get(), &bytes_dy), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnGetTensorSizeInBytes(folded.dx.get(), &bytes_dx), CUDNN_STATUS_SUCCESS);
    const auto new_w = zeros(bytes_w), new_dy = zeros(bytes_dy), new_dx = zeros(bytes_dx);
    const double one = 1, none = 0;
    const auto back = [&](const Filter* filter, const void* from_w, const Tensor* from, const void* from_dy,
                          const Convolution* by, const Tensor* to, void* to_dx) {
      return library().cudnnConvolutionBackwardData(handle(), &one, const_cast<Filter*>(filter), from_w,
                                                    const_cast<Tensor*>(from), from_dy, const_cast<Convolution*>(by),
                                                    CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, &none,
                                                    const_cast<Tensor*>(to), to_dx);
    };
    ASSERT_EQ(back(of_w.get(), w.address(), of_dy.get(), dy.address(), how.get(), of_dx.get(), dx.address()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformFilter(handle(), folded.fold_w.get(), &one, of_w.get(), w.address(), &none,
                                             folded.w.get(), new_w.as()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformTensorEx(handle(), folded.pad_dy.get(), &one, of_dy.get(), dy.address(), &none,
                                               folded.dy.get(), new_dy.as()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(
        back(folded.w.get(), new_w.as(), folded.dy.get(), new_dy.as(), folded.how.get(), folded.dx.get(), new_dx.as()),
        CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformTensorEx(handle(), folded.unfold_dx.get(), &one, folded.dx.get(), new_dx.as(),
                                               &none, of_dx.get(), again.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(again.read(), dx.read(), dx.tolerance(10), "seed " + std::to_string(seed));
    // The other way, which dx needs that is added to: its numbers come back.
    ASSERT_EQ(library().cudnnTransformTensorEx(handle(), folded.fold_dx.get(), &one, of_dx.get(), dx.address(), &none,
                                               folded.dx.get(), new_dx.as()),
              CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(library().cudnnTransformTensorEx(handle(), folded.unfold_dx.get(), &one, folded.dx.get(), new_dx.as(),
                                               &none, of_dx.get(), again.address()),
              CUDNN_STATUS_SUCCESS);
    wait();
    expect_near(again.read(), dx.read(), dx.tolerance(10), "there and back, seed " + std::to_string(seed));
  }
  EXPECT_EQ(tried, 40);
}

}  // namespace
}  // namespace nvmlkit::library_test
