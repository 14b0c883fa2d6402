#include "libraries/cudnn/functions/attention_job.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

cudnnStatus_t check_attended(const AttentionJob& job) {
  const auto& a = job.attention;
  const auto size = [&](int side, cudnnSeqDataAxis_t axis) { return job.sides[side].size(axis); };
  for (int side = 0; side < dnn::AttentionShape::sides; ++side) {
    const auto width = side == dnn::AttentionShape::output ? job.shape.output_width() : job.shape.width[side];
    if (job.sides[side].data.type != a.type) return bad("the type of the sequences");
    if (size(side, CUDNN_SEQDATA_VECT_DIM) != width) return bad("the length of the vectors");
    if (size(side, CUDNN_SEQDATA_BATCH_DIM) != job.batches()) return bad("the number of batches");
  }
  for (const auto axis : {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BEAM_DIM})
    if (size(dnn::AttentionShape::query, axis) != size(dnn::AttentionShape::output, axis) ||
        size(dnn::AttentionShape::key, axis) != size(dnn::AttentionShape::value, axis))
      return bad("the sequences of two sides differ");
  if (size(dnn::AttentionShape::key, CUDNN_SEQDATA_BEAM_DIM) != (job.has_own_keys() ? job.beams() : 1))
    return bad("the beams of keys");
  if (size(dnn::AttentionShape::query, CUDNN_SEQDATA_TIME_DIM) > a.longest_query ||
      size(dnn::AttentionShape::key, CUDNN_SEQDATA_TIME_DIM) > a.longest_key || job.batches() > a.most_batches ||
      job.beams() > a.most_beams)
    return bad("more than the descriptor has room for");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t make_job(const Attention* a, const SequenceData* const (&of)[dnn::AttentionShape::sides],
                       const void* const (&at)[dnn::AttentionShape::sides], std::size_t weights_size,
                       const void* weights, std::size_t reserve_size, void* reserve, AttentionJob& out) {
  if (!are_live(a) || !a->is_set()) return bad("the descriptor is none, or not set");
  out.attention = *a;
  out.shape = shape_of(*a);
  for (int side = 0; side < dnn::AttentionShape::sides; ++side) {
    if (!are_live(of[side]) || !of[side]->is_set()) return bad("a descriptor of sequences is none, or not set");
    if (!at[side]) return bad("no memory of a side");
    out.sides[side] = {*of[side], const_cast<void*>(at[side])};
  }
  const auto count = static_cast<std::size_t>(out.shape.weight_count());
  if (count > 0 && (!weights || weights_size < count * dnn::size_of(out.type())))
    return bad("the weights have no room");
  const auto kept = static_cast<std::size_t>(AttentionMemory(*a).count());
  if (reserve && reserve_size < kept * (out.in_double() ? sizeof(double) : sizeof(float)))
    return bad("the reserve has no room");
  out.weights = weights;
  out.reserve = reserve;
  return check_attended(out);
}

}  // namespace nvmlkit::cudnn::functions
