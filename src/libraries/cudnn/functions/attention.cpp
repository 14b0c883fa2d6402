#include "libraries/cudnn/functions/attention.hpp"

#include <algorithm>

#include "libraries/cudnn/functions/attention_job.hpp"
#include "libraries/cudnn/functions/dropout.hpp"
#include "libraries/dnn/random.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

// Draws a factor for each element.
template <class T>
std::vector<T> draw_factors(const Dropout& dropout, Running& running, std::size_t count) {
  auto& states = *running.write(static_cast<DropoutStates*>(dropout.states), 1);
  const dnn::Random random(states.seed, states.drawn++);
  const T scale = dropout.rate < 1 ? T{1} / (T{1} - static_cast<T>(dropout.rate)) : T{0};
  std::vector<T> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = random.uniform(k) >= dropout.rate ? scale : T{0};
  return out;
}
template <class T>
void multiply_by(const std::vector<T>& factors, std::vector<T>& to) {
  for (std::size_t k = 0; k < factors.size(); ++k) to[k] *= factors[k];
}

// Of one sequence, or one step of it: what it finds, with dropout and the residuals.
template <class T>
void attend_one(const AttentionJob& job, Running& running, const dnn::Attention<T>& attention, std::int64_t sequence,
                std::int64_t first, std::int64_t queries, std::int64_t keys, const std::vector<dnn::Window>& windows,
                const AttentionRows& residuals, bool is_whole) {
  const auto batch = sequence / job.beams(), beam = sequence % job.beams();
  const auto input = job.input<T>(running, batch, beam, first, queries, keys);
  auto shares = attention.shares(input, windows.data() + first);
  std::vector<T> output_factors;
  if (job.reserve) {
    const KeptAttention<T> kept(job, running, sequence);
    kept.queries() = static_cast<T>(queries), kept.keys() = static_cast<T>(keys);
    std::copy(shares.begin(), shares.end(), kept.shares());
    if (kept.share_factors()) {
      const auto factors = draw_factors<T>(job.attention.shares_dropped, running, shares.size());
      std::copy(factors.begin(), factors.end(), kept.share_factors());
      multiply_by(factors, shares);
    }
    if (kept.output_factors()) {
      output_factors = draw_factors<T>(job.attention.output_dropped, running,
                                       static_cast<std::size_t>(queries * job.shape.output_width()));
      std::copy(output_factors.begin(), output_factors.end(), kept.output_factors());
    }
  }
  auto out = attention.forward(input, shares);
  multiply_by(output_factors, out);
  if (residuals.address) {
    const auto more = residuals.read<T>(running, batch, beam, first, queries);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += more[k];
  }
  job.sides[dnn::AttentionShape::output].write(running, batch, beam, first, queries, out, is_whole);
}

// Gradients of one sequence, from what the forward pass kept.
template <class T>
void back_of(const AttentionJob& job, Running& running, const dnn::Attention<T>& attention, std::int64_t sequence,
             const dnn::AttentionGradients<T>& to) {
  const auto batch = sequence / job.beams(), beam = sequence % job.beams();
  const KeptAttention<T> kept(job, running, sequence);
  const auto most_queries = job.sides[dnn::AttentionShape::query].size(CUDNN_SEQDATA_TIME_DIM);
  const auto most_keys = job.sides[dnn::AttentionShape::key].size(CUDNN_SEQDATA_TIME_DIM);
  const auto queries = std::clamp<std::int64_t>(static_cast<std::int64_t>(kept.queries()), 0, most_queries);
  const auto keys = std::clamp<std::int64_t>(static_cast<std::int64_t>(kept.keys()), 0, most_keys);
  const auto input = job.input<T>(running, batch, beam, 0, queries, keys);
  const auto pairs = static_cast<std::size_t>(job.shape.heads * queries * keys);
  const std::vector<T> shares(kept.shares(), kept.shares() + pairs);
  std::vector<T> factors;
  if (kept.share_factors()) factors.assign(kept.share_factors(), kept.share_factors() + pairs);
  auto gradient = job.sides[dnn::AttentionShape::output].template read<T>(running, batch, beam, 0, queries);
  if (const T* const by = kept.output_factors()) multiply_by(std::vector<T>(by, by + gradient.size()), gradient);
  attention.back(input, shares, factors, gradient, to);
}

}  // namespace

cudnnStatus_t attend(const Call& call, const Attention* a, int current, const int* from, const int* to,
                     const int* query_lengths, const int* key_lengths, const SequenceData* of_queries,
                     const void* queries, const void* residuals, const SequenceData* of_keys, const void* keys,
                     const SequenceData* of_values, const void* values, const SequenceData* of_out, void* out,
                     size_t weights_size, const void* weights, size_t, void*, size_t reserve_size, void* reserve) {
  AttentionJob job;
  const auto status = make_job(a, {of_queries, of_keys, of_values, of_out}, {queries, keys, values, out}, weights_size,
                               weights, reserve_size, reserve, job);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  const auto steps = job.sides[dnn::AttentionShape::query].size(CUDNN_SEQDATA_TIME_DIM);
  if (!from || !to || !query_lengths || !key_lengths) return bad("no windows, or no lengths");
  if (current >= steps || (reserve && current >= 0)) return bad("there is no such step, or it is one of training");
  const AttentionMemory memory(*a);
  if (reserve &&
      ((memory.drops_shares && !a->shares_dropped.states) || (memory.drops_output && !a->output_dropped.states)))
    return bad("dropout without states");
  std::vector<dnn::Window> windows;
  for (int k = 0; k < steps; ++k) windows.push_back({from[k], to[k]});
  const AttentionRows added{*of_out, const_cast<void*>(residuals)};
  return call.compute(job.in_double(), job.cost(1), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto own = job.read_weights<T>(running, job.weights);
    const dnn::Attention<T> attention(job.shape, own.data());
    const auto sequences = job.batches() * job.beams();
    const auto key_sequences = job.batches() * job.sides[dnn::AttentionShape::key].size(CUDNN_SEQDATA_BEAM_DIM);
    const int* const of_query = running.read(query_lengths, sequences);
    const int* const of_key = running.read(key_lengths, key_sequences);
    for (std::int64_t s = 0; s < sequences; ++s) {
      running.tick();
      const auto key_sequence = key_sequences == sequences ? s : s / job.beams();
      const std::int64_t length = std::clamp(of_query[s], 0, steps);
      const std::int64_t most = job.sides[dnn::AttentionShape::key].size(CUDNN_SEQDATA_TIME_DIM);
      const auto seen = std::clamp<std::int64_t>(of_key[key_sequence], 0, most);
      if (current < 0)
        attend_one(job, running, attention, s, 0, length, seen, windows, added, true);
      else if (current < length)
        attend_one(job, running, attention, s, current, 1, seen, windows, added, false);
    }
  });
}

cudnnStatus_t attend_to_data(const Call& call, const Attention* a, const int*, const int*, const int*, const int*,
                             const SequenceData* of_out, const void* gradient, const SequenceData* of_queries,
                             void* to_queries, const void* queries, const SequenceData* of_keys, void* to_keys,
                             const void* keys, const SequenceData* of_values, void* to_values, const void* values,
                             size_t weights_size, const void* weights, size_t, void*, size_t reserve_size,
                             void* reserve) {
  AttentionJob job;
  const auto status = make_job(a, {of_queries, of_keys, of_values, of_out}, {queries, keys, values, gradient},
                               weights_size, weights, reserve_size, reserve, job);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (!reserve || !to_queries || !to_keys || !to_values) return bad("no memory of a gradient, or of the forward pass");
  const AttentionRows to[] = {{*of_queries, to_queries}, {*of_keys, to_keys}, {*of_values, to_values}};
  return call.compute(job.in_double(), job.cost(2), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto own = job.read_weights<T>(running, job.weights);
    const dnn::Attention<T> attention(job.shape, own.data());
    std::vector<T> sums[dnn::AttentionShape::output];
    for (std::int64_t s = 0; s < job.batches() * job.beams(); ++s) {
      running.tick();
      const auto batch = s / job.beams(), beam = s % job.beams();
      // Beams that share their keys add to one gradient.
      for (int side = 0; side < dnn::AttentionShape::output; ++side)
        if (side == dnn::AttentionShape::query || job.has_own_keys() || beam == 0)
          sums[side].assign(static_cast<std::size_t>(to[side].size(CUDNN_SEQDATA_TIME_DIM)) *
                                static_cast<std::size_t>(to[side].size(CUDNN_SEQDATA_VECT_DIM)),
                            T{});
      back_of(job, running, attention, s, {{sums[0].data(), sums[1].data(), sums[2].data()}, nullptr});
      const KeptAttention<T> kept(job, running, s);
      to[dnn::AttentionShape::query].write(running, batch, beam, 0, static_cast<std::int64_t>(kept.queries()),
                                           sums[dnn::AttentionShape::query], true);
      if (!job.has_own_keys() && beam + 1 < job.beams()) continue;
      for (const int side : {dnn::AttentionShape::key, dnn::AttentionShape::value})
        to[side].write(running, batch, job.key_beam(beam), 0, static_cast<std::int64_t>(kept.keys()), sums[side], true);
    }
  });
}

cudnnStatus_t attend_to_weights(const Call& call, const Attention* a, cudnnWgradMode_t mode,
                                const SequenceData* of_queries, const void* queries, const SequenceData* of_keys,
                                const void* keys, const SequenceData* of_values, const void* values,
                                const SequenceData* of_out, const void* gradient, size_t weights_size,
                                const void* weights, void* to_weights, size_t, void*, size_t reserve_size,
                                void* reserve) {
  AttentionJob job;
  const auto status = make_job(a, {of_queries, of_keys, of_values, of_out}, {queries, keys, values, gradient},
                               weights_size, weights, reserve_size, reserve, job);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (mode > CUDNN_WGRAD_MODE_SET) return bad("no such mode");
  if (!reserve || (job.shape.weight_count() > 0 && !to_weights)) return bad("no memory of the gradient");
  return call.compute(job.in_double(), job.cost(2), [=](auto number, Running& running) {
    using T = decltype(number);
    const auto count = job.shape.weight_count();
    if (count == 0) return;
    const auto own = job.read_weights<T>(running, job.weights);
    const dnn::Attention<T> attention(job.shape, own.data());
    auto sums = mode == CUDNN_WGRAD_MODE_ADD ? job.read_weights<T>(running, to_weights)
                                             : std::vector<T>(static_cast<std::size_t>(count));
    for (std::int64_t s = 0; s < job.batches() * job.beams(); ++s) {
      running.tick();
      back_of(job, running, attention, s, {{nullptr, nullptr, nullptr}, sums.data()});
    }
    dnn::store_row(job.type(), sums.data(), count, running.write(to_weights, count, dnn::size_of(job.type())));
  });
}

}  // namespace nvmlkit::cudnn::functions
