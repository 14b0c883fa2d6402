// Dropout: elements are set to 0 at random.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

// What lies in the memory of the states.
struct DropoutStates {
  std::uint64_t seed, drawn;
};

cudnnStatus_t size_of_states(const Call& call, size_t* out);
cudnnStatus_t size_of_mask(Tensor* x, size_t* out);
cudnnStatus_t set_dropout(Dropout* d, Handle* handle, float rate, void* states, size_t size, unsigned long long seed);
cudnnStatus_t restore_dropout(Dropout* d, Handle* handle, float rate, void* states, size_t size,
                              unsigned long long seed);
cudnnStatus_t get_dropout(Dropout* d, Handle* handle, float* rate, void** states, unsigned long long* seed);
cudnnStatus_t drop(const Call& call, const Dropout* d, const Tensor* of_x, const void* x, const Tensor* of_y, void* y,
                   void* reserve, size_t reserve_size);
cudnnStatus_t drop_back(const Call& call, const Dropout* d, const Tensor* of_dy, const void* dy, const Tensor* of_dx,
                        void* dx, void* reserve, size_t reserve_size);

}  // namespace nvmlkit::cudnn::functions
