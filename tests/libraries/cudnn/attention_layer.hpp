// A layer of attention in memory of the device, with its sequences.
#pragma once

#include <array>

#include "attention.hpp"

namespace nvmlkit::library_test {

using Axes = std::array<cudnnSeqDataAxis_t, 4>;

inline Axes random_axes(Dice& dice) {
  Axes out = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM, CUDNN_SEQDATA_VECT_DIM};
  for (int k = dice.range(0, 5); k > 0; --k) std::next_permutation(out.begin(), out.begin() + 3);
  return out;
}

// One side, in memory of the device; its elements are those of AttentionData.
class OnSide {
 public:
  OnSide(const AttentionCase& c, int side, const Axes& axes, const std::vector<double>& elements)
      : sizes_{c.batches, c.beams_of(side), c.time(side), c.width_of(side)},
        memory_(c.type, sizes_, strides(c, side, axes), elements),
        of_(library().cudnnCreateSeqDataDescriptor, library().cudnnDestroySeqDataDescriptor) {
    const int sizes[] = {c.time(side), c.batches, c.beams_of(side), c.width_of(side)};
    const auto& lengths = side == 1 || side == 2 ? c.key_lengths : c.query_lengths;
    EXPECT_EQ(library().cudnnSetSeqDataDescriptor(of_.get(), c.type, 4, sizes, axes.data(), lengths.size(),
                                                  lengths.data(), nullptr),
              CUDNN_STATUS_SUCCESS);
  }
  SequenceData* of() const { return of_.get(); }
  void* address() const { return memory_.address(); }
  std::vector<double> read() const { return memory_.read(); }
  double tolerance() const { return memory_.tolerance(10); }

 private:
  // By batch, beam, time and vector.
  static Sizes strides(const AttentionCase& c, int side, const Axes& axes) {
    const std::int64_t sizes[] = {c.time(side), c.batches, c.beams_of(side), c.width_of(side)};
    std::int64_t of_axis[4] = {}, stride = 1;
    for (std::size_t k = 4; k-- > 0; stride *= sizes[axes[k]]) of_axis[axes[k]] = stride;
    return {of_axis[CUDNN_SEQDATA_BATCH_DIM], of_axis[CUDNN_SEQDATA_BEAM_DIM], of_axis[CUDNN_SEQDATA_TIME_DIM], 1};
  }

  Sizes sizes_;
  OnGpu memory_;
  Owned<SequenceData> of_;
};

// A layer with its weights, which lie where the library wants them.
class Layer {
 public:
  Layer(const AttentionCase& c, const AttentionData& d, Dropout* of_shares = nullptr, Dropout* of_output = nullptr)
      : c_(c),
        of_(library().cudnnCreateAttnDescriptor, library().cudnnDestroyAttnDescriptor),
        bytes_(prepare(of_shares, of_output)),
        weights_(std::vector<unsigned char>(bytes_ + 1)),
        gradients_(std::vector<unsigned char>(bytes_ + 1)),
        reserve_(std::vector<unsigned char>(reserve_bytes_ + 1)),
        query_lengths_(c.query_lengths),
        key_lengths_(c.key_lengths) {
    for (int side = 0; side < 4; ++side) {
      put(side, d.weights[side]);
      put(4 + side, d.biases[side]);
    }
  }

  cudnnStatus_t forward(const OnSide (&sides)[4], const OnSide* residuals, bool is_training, int current = -1) const {
    return library().cudnnMultiHeadAttnForward(
        handle(), of_.get(), current, c_.from.data(), c_.to.data(), query_lengths_.as(), key_lengths_.as(),
        sides[0].of(), sides[0].address(), residuals ? residuals->address() : nullptr, sides[1].of(),
        sides[1].address(), sides[2].of(), sides[2].address(), sides[3].of(), sides[3].address(), bytes_,
        weights_.as<void>(), 0, nullptr, is_training ? reserve_bytes_ : 0, is_training ? reserve_.as<void>() : nullptr);
  }
  cudnnStatus_t to_data(const OnSide (&sides)[4], const OnSide& gradient, const OnSide (&to)[3]) const {
    return library().cudnnMultiHeadAttnBackwardData(
        handle(), of_.get(), c_.from.data(), c_.to.data(), query_lengths_.as(), key_lengths_.as(), gradient.of(),
        gradient.address(), to[0].of(), to[0].address(), sides[0].address(), to[1].of(), to[1].address(),
        sides[1].address(), to[2].of(), to[2].address(), sides[2].address(), bytes_, weights_.as<void>(), 0, nullptr,
        reserve_bytes_, reserve_.as<void>());
  }
  cudnnStatus_t to_weights(const OnSide (&sides)[4], const OnSide& gradient, cudnnWgradMode_t mode) const {
    return library().cudnnMultiHeadAttnBackwardWeights(
        handle(), of_.get(), mode, sides[0].of(), sides[0].address(), sides[1].of(), sides[1].address(), sides[2].of(),
        sides[2].address(), gradient.of(), gradient.address(), bytes_, weights_.as<void>(), gradients_.as<void>(), 0,
        nullptr, reserve_bytes_, reserve_.as<void>());
  }
  // Of a kind of weights, as [heads, projected, inputs].
  std::vector<double> gradient(int kind) const {
    std::vector<double> out;
    const auto bytes = gradients_.read();
    each(kind, [&](std::size_t at) {
      double value = 0;
      float narrow = 0;
      if (c_.type == CUDNN_DATA_DOUBLE) {
        std::memcpy(&value, bytes.data() + at, sizeof value);
      } else {
        std::memcpy(&narrow, bytes.data() + at, sizeof narrow);
        value = narrow;
      }
      out.push_back(value);
    });
    return out;
  }

 private:
  std::size_t prepare(Dropout* of_shares, Dropout* of_output) {
    const auto math = c_.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    EXPECT_EQ(library().cudnnSetAttnDescriptor(
                  of_.get(), (c_.has_own_keys ? 1u : 0u) | (c_.has_biases ? 2u : 0u), c_.heads, c_.scale, c_.type, math,
                  CUDNN_DEFAULT_MATH, of_shares, of_output, c_.width[0], c_.width[1], c_.width[2], c_.projected[0],
                  c_.projected[1], c_.projected[2], c_.projected[3], c_.queries, c_.keys, c_.batches, c_.beams),
              CUDNN_STATUS_SUCCESS);
    std::size_t weights = 0, work = 1;
    EXPECT_EQ(library().cudnnGetMultiHeadAttnBuffers(handle(), of_.get(), &weights, &work, &reserve_bytes_),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(work, 0u);
    return weights;
  }
  // work(place in bytes), in the order of the sizes.
  template <class Work>
  void each(int kind, Work work) const {
    const TensorOf of;
    void* address = nullptr;
    // A reference for what the library adds; the memory itself is not looked at.
    char* const base = weights_.as<char>();
    ASSERT_EQ(
        library().cudnnGetMultiHeadAttnWeights(handle(), of_.get(), static_cast<cudnnMultiHeadAttnWeightKind_t>(kind),
                                               bytes_, base, of.get(), &address),
        CUDNN_STATUS_SUCCESS);
    cudnnDataType_t type{};
    int count = 0, sizes[3] = {}, strides[3] = {};
    ASSERT_EQ(library().cudnnGetTensorNdDescriptor(of.get(), 3, &type, &count, sizes, strides), CUDNN_STATUS_SUCCESS);
    if (!address) return;
    const std::size_t width = c_.type == CUDNN_DATA_DOUBLE ? 8 : c_.type == CUDNN_DATA_FLOAT ? 4 : 2;
    const auto first = static_cast<std::size_t>(static_cast<char*>(address) - base);
    for (int h = 0; h < sizes[0]; ++h)
      for (int p = 0; p < sizes[1]; ++p)
        for (int i = 0; i < sizes[2]; ++i)
          work(first + static_cast<std::size_t>(h * strides[0] + p * strides[1] + i * strides[2]) * width);
  }
  void put(int kind, const std::vector<double>& elements) {
    auto bytes = weights_.read();
    std::size_t k = 0;
    each(kind, [&](std::size_t at) {
      const double value = elements.at(k++);
      const float narrow = static_cast<float>(value);
      const auto half = ptx::Half::of(value).bits;
      if (c_.type == CUDNN_DATA_DOUBLE) std::memcpy(bytes.data() + at, &value, sizeof value);
      if (c_.type == CUDNN_DATA_FLOAT) std::memcpy(bytes.data() + at, &narrow, sizeof narrow);
      if (c_.type == CUDNN_DATA_HALF) std::memcpy(bytes.data() + at, &half, sizeof half);
    });
    EXPECT_EQ(k, elements.size()) << "the weights of kind " << kind;
    EXPECT_EQ(gpu().put(reinterpret_cast<cuda::CUdeviceptr>(weights_.as<void>()), bytes.data(), bytes.size()),
              cuda::CUDA_SUCCESS);
  }

  const AttentionCase& c_;
  Owned<Attention> of_;
  std::size_t reserve_bytes_ = 0;
  std::size_t bytes_;
  OnDevice<unsigned char> weights_, gradients_, reserve_;
  OnDevice<int> query_lengths_, key_lengths_;
};

// All sides of a case, the output with other numbers than it will have.
struct Setting {
  Setting(const AttentionCase& c, const AttentionData& d, Dice& dice)
      : axes(random_axes(dice)),
        sides{{c, 0, axes, d.sides[0]},
              {c, 1, random_axes(dice), d.sides[1]},
              {c, 2, random_axes(dice), d.sides[2]},
              {c, 3, axes, dice.numbers(c.count(3))}},
        residuals(c, 3, axes, d.residuals) {}
  Axes axes;
  OnSide sides[4], residuals;
};

}  // namespace nvmlkit::library_test
