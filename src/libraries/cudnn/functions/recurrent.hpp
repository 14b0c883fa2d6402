// Recurrent networks: forward, and back to data and weights.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t run_recurrent(const Call& call, Rnn* r, cudnnForwardMode_t mode, const std::int32_t* device_lengths,
                            RnnData* of_x, const void* x, RnnData* of_y, void* y, Tensor* of_h, const void* hx,
                            void* hy, Tensor* of_c, const void* cx, void* cy, size_t weights_size, const void* weights,
                            size_t work_size, void* work, size_t reserve_size, void* reserve);
cudnnStatus_t recurrent_to_data(const Call& call, Rnn* r, const std::int32_t* device_lengths, RnnData* of_y,
                                const void* y, const void* dy, RnnData* of_x, void* dx, Tensor* of_h, const void* hx,
                                const void* dhy, void* dhx, Tensor* of_c, const void* cx, const void* dcy, void* dcx,
                                size_t weights_size, const void* weights, size_t work_size, void* work,
                                size_t reserve_size, void* reserve);
cudnnStatus_t recurrent_to_weights(const Call& call, Rnn* r, cudnnWgradMode_t mode, const std::int32_t* device_lengths,
                                   RnnData* of_x, const void* x, Tensor* of_h, const void* hx, RnnData* of_y,
                                   const void* y, size_t weights_size, void* gradients, size_t work_size, void* work,
                                   size_t reserve_size, void* reserve);

}  // namespace nvmlkit::cudnn::functions
