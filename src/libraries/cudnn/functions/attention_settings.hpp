// What describes attention of several heads: its descriptor, sequences, weights.
#pragma once

#include "libraries/cudnn/call.hpp"
#include "libraries/dnn/attention_shape.hpp"

namespace nvmlkit::cudnn::functions {

// Flags of a mode.
inline constexpr unsigned kOneToOne = 1, kHasBiases = 2;

dnn::AttentionShape shape_of(const Attention& a);

// What a forward pass of training keeps, in elements that are computed with: how much of each key a query took, and by
// which factors dropout multiplied that and the output.
struct AttentionMemory {
  explicit AttentionMemory(const Attention& a);
  std::int64_t sequences, shares, outputs;  // the latter two of one sequence
  bool drops_shares, drops_output;

  // Of a sequence: how many queries and keys it had stands before the rest.
  std::int64_t of_sequence() const { return 2 + shares * (drops_shares ? 2 : 1) + (drops_output ? outputs : 0); }
  std::int64_t count() const { return sequences * of_sequence(); }
};

cudnnStatus_t set_attention(Attention* a, unsigned mode, int heads, double scale, cudnnDataType_t type,
                            cudnnDataType_t math, cudnnMathType_t math_type, Dropout* of_shares, Dropout* of_output,
                            int q, int k, int v, int q_projected, int k_projected, int v_projected, int o_projected,
                            int longest_query, int longest_key, int most_batches, int most_beams);
cudnnStatus_t get_attention(Attention* a, unsigned* mode, int* heads, double* scale, cudnnDataType_t* type,
                            cudnnDataType_t* math, cudnnMathType_t* math_type, Dropout** of_shares, Dropout** of_output,
                            int* q, int* k, int* v, int* q_projected, int* k_projected, int* v_projected,
                            int* o_projected, int* longest_query, int* longest_key, int* most_batches, int* most_beams);
cudnnStatus_t set_sequence_data(SequenceData* d, cudnnDataType_t type, int count, const int* sizes,
                                const cudnnSeqDataAxis_t* axes, size_t lengths_size, const int* lengths, void* fill);
cudnnStatus_t get_sequence_data(const SequenceData* d, cudnnDataType_t* type, int* count, int requested, int* sizes,
                                cudnnSeqDataAxis_t* axes, size_t* lengths_size, size_t lengths_requested, int* lengths,
                                void* fill);
cudnnStatus_t size_of_attention(const Call& call, const Attention* a, size_t* weights, size_t* work, size_t* reserve);
cudnnStatus_t place_of_attention(const Call& call, const Attention* a, cudnnMultiHeadAttnWeightKind_t kind, size_t size,
                                 const void* weights, Tensor* of_part, void** part);

}  // namespace nvmlkit::cudnn::functions
