// Attention of several heads, forward and back.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t attend(const Call& call, const Attention* a, int current, const int* from, const int* to,
                     const int* query_lengths, const int* key_lengths, const SequenceData* of_queries,
                     const void* queries, const void* residuals, const SequenceData* of_keys, const void* keys,
                     const SequenceData* of_values, const void* values, const SequenceData* of_out, void* out,
                     size_t weights_size, const void* weights, size_t work_size, void* work, size_t reserve_size,
                     void* reserve);
cudnnStatus_t attend_to_data(const Call& call, const Attention* a, const int* from, const int* to,
                             const int* query_lengths, const int* key_lengths, const SequenceData* of_out,
                             const void* gradient, const SequenceData* of_queries, void* to_queries,
                             const void* queries, const SequenceData* of_keys, void* to_keys, const void* keys,
                             const SequenceData* of_values, void* to_values, const void* values, size_t weights_size,
                             const void* weights, size_t work_size, void* work, size_t reserve_size, void* reserve);
cudnnStatus_t attend_to_weights(const Call& call, const Attention* a, cudnnWgradMode_t mode,
                                const SequenceData* of_queries, const void* queries, const SequenceData* of_keys,
                                const void* keys, const SequenceData* of_values, const void* values,
                                const SequenceData* of_out, const void* gradient, size_t weights_size,
                                const void* weights, void* to_weights, size_t work_size, void* work,
                                size_t reserve_size, void* reserve);

}  // namespace nvmlkit::cudnn::functions
