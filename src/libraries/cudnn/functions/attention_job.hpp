// A call of attention: sequences in memory of the device, and what a forward pass keeps of them.
#pragma once

#include "libraries/cudnn/functions/attention_settings.hpp"
#include "libraries/cudnn/operand.hpp"
#include "libraries/dnn/attention.hpp"

namespace nvmlkit::cudnn::functions {

// Sequences in memory of the device, by batch and beam.
struct AttentionRows {
  SequenceData data;
  void* address = nullptr;

  int size(cudnnSeqDataAxis_t axis) const { return data.sizes[axis]; }
  dnn::Type type() const { return static_cast<dnn::Type>(data.type); }
  std::int64_t count() const { return std::int64_t{data.sizes[0]} * data.sizes[1] * data.sizes[2] * data.sizes[3]; }
  // Of the first element of a vector, in bytes.
  std::size_t place(std::int64_t time, std::int64_t batch, std::int64_t beam) const {
    const std::int64_t at[] = {time, batch, beam, 0};
    std::int64_t out = 0;
    for (const auto axis : data.axes) out = out * data.sizes[axis] + at[axis];
    return static_cast<std::size_t>(out) * dnn::size_of(type());
  }
  // Vectors of one sequence.
  template <class T>
  std::vector<T> read(Running& running, std::int64_t batch, std::int64_t beam, std::int64_t first,
                      std::int64_t vectors) const {
    const auto* const from =
        static_cast<const char*>(running.read(static_cast<const void*>(address), count(), dnn::size_of(type())));
    const std::int64_t width = size(CUDNN_SEQDATA_VECT_DIM);
    std::vector<T> out(static_cast<std::size_t>(vectors * width));
    for (std::int64_t t = 0; t < vectors; ++t)
      dnn::load_row(type(), from + place(first + t, batch, beam), width, out.data() + t * width);
    return out;
  }
  // And the filling behind the sequence, if there is one.
  template <class T>
  void write(Running& running, std::int64_t batch, std::int64_t beam, std::int64_t first, std::int64_t vectors,
             const std::vector<T>& elements, bool fills) const {
    auto* const to = static_cast<char*>(running.write(address, count(), dnn::size_of(type())));
    const std::int64_t width = size(CUDNN_SEQDATA_VECT_DIM);
    for (std::int64_t t = 0; t < vectors; ++t)
      dnn::store_row(type(), elements.data() + t * width, width, to + place(first + t, batch, beam));
    if (!fills || !data.fill) return;
    const std::vector<T> fill(static_cast<std::size_t>(width), static_cast<T>(*data.fill));
    for (auto t = first + vectors; t < size(CUDNN_SEQDATA_TIME_DIM); ++t)
      dnn::store_row(type(), fill.data(), width, to + place(t, batch, beam));
  }
};

// What all three functions share.
struct AttentionJob {
  Attention attention;
  dnn::AttentionShape shape;
  AttentionRows sides[dnn::AttentionShape::sides];
  const void* weights = nullptr;
  void* reserve = nullptr;

  bool in_double() const { return attention.type == CUDNN_DATA_DOUBLE; }
  dnn::Type type() const { return static_cast<dnn::Type>(attention.type); }
  std::int64_t batches() const { return sides[dnn::AttentionShape::query].size(CUDNN_SEQDATA_BATCH_DIM); }
  std::int64_t beams() const { return sides[dnn::AttentionShape::query].size(CUDNN_SEQDATA_BEAM_DIM); }
  bool has_own_keys() const { return attention.mode & kOneToOne; }  // each beam
  std::int64_t key_beam(std::int64_t beam) const { return has_own_keys() ? beam : 0; }
  Cost cost(double passes) const {
    const auto vectors = [&](int side) {
      return static_cast<double>(sides[side].size(CUDNN_SEQDATA_TIME_DIM)) * static_cast<double>(batches() * beams());
    };
    return {
        .operations = passes * shape.operations(vectors(dnn::AttentionShape::query), vectors(dnn::AttentionShape::key)),
        .bytes = 4 * static_cast<double>(shape.weight_count() + sides[0].count() + sides[1].count() + sides[2].count() +
                                         sides[3].count()),
        .pipe = pipe_of_layer(type(), false)};
  }
  template <class T>
  std::vector<T> read_weights(Running& running, const void* from) const {
    std::vector<T> out(static_cast<std::size_t>(shape.weight_count()));
    if (!out.empty())
      dnn::load_row(type(), running.read(from, shape.weight_count(), dnn::size_of(type())), shape.weight_count(),
                    out.data());
    return out;
  }
  template <class T>
  dnn::AttentionInput<T> input(Running& running, std::int64_t batch, std::int64_t beam, std::int64_t first,
                               std::int64_t queries, std::int64_t keys) const {
    dnn::AttentionInput<T> out{queries, keys, {}};
    out.rows[dnn::AttentionShape::query] =
        sides[dnn::AttentionShape::query].read<T>(running, batch, beam, first, queries);
    for (const int side : {dnn::AttentionShape::key, dnn::AttentionShape::value})
      out.rows[side] = sides[side].read<T>(running, batch, key_beam(beam), 0, keys);
    return out;
  }
};

// What is kept of one sequence.
template <class T>
class KeptAttention {
 public:
  KeptAttention(const AttentionJob& job, Running& running, std::int64_t sequence) : memory_(job.attention) {
    at_ = running.write(static_cast<T*>(job.reserve), memory_.count()) + sequence * memory_.of_sequence();
  }
  T& queries() const { return at_[0]; }
  T& keys() const { return at_[1]; }
  T* shares() const { return at_ + 2; }
  T* share_factors() const { return memory_.drops_shares ? shares() + memory_.shares : nullptr; }
  T* output_factors() const {
    return memory_.drops_output ? shares() + memory_.shares * (memory_.drops_shares ? 2 : 1) : nullptr;
  }

 private:
  AttentionMemory memory_;
  T* at_;
};

// CUDNN_STATUS_SUCCESS, or why the arguments do not go together. `of` and `at`: of queries, keys, values, the output.
cudnnStatus_t make_job(const Attention* a, const SequenceData* const (&of)[dnn::AttentionShape::sides],
                       const void* const (&at)[dnn::AttentionShape::sides], std::size_t weights_size,
                       const void* weights, std::size_t reserve_size, void* reserve, AttentionJob& out);

}  // namespace nvmlkit::cudnn::functions
