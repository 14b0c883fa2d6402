// The loss of connectionist temporal classification (CTC).
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t set_loss(CtcLoss* c, cudnnDataType_t type);
cudnnStatus_t set_loss_ex(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                          cudnnNanPropagation_t nan);
cudnnStatus_t set_loss_8(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                         cudnnNanPropagation_t nan, int longest);
cudnnStatus_t set_loss_9(CtcLoss* c, cudnnDataType_t type, cudnnLossNormalizationMode_t normalization,
                         cudnnCTCGradMode_t gradients, int longest);
cudnnStatus_t get_loss(CtcLoss* c, cudnnDataType_t* type);
cudnnStatus_t get_loss_ex(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                          cudnnNanPropagation_t* nan);
cudnnStatus_t get_loss_8(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                         cudnnNanPropagation_t* nan, int* longest);
cudnnStatus_t get_loss_9(CtcLoss* c, cudnnDataType_t* type, cudnnLossNormalizationMode_t* normalization,
                         cudnnCTCGradMode_t* gradients, int* longest);
// Labels and lengths in memory of the host.
cudnnStatus_t run_loss(const Call& call, const Tensor* of_x, const void* x, const int* labels, const int* label_lengths,
                       const int* lengths, void* costs, const Tensor* of_dx, void* dx, cudnnCTCLossAlgo_t algo,
                       CtcLoss* c, void* work, size_t size);
// The same in memory of the device.
cudnnStatus_t run_loss_8(const Call& call, cudnnCTCLossAlgo_t algo, CtcLoss* c, const Tensor* of_x, const void* x,
                         const int* labels, const int* label_lengths, const int* lengths, void* costs,
                         const Tensor* of_dx, void* dx, size_t size, void* work);
cudnnStatus_t size_of_loss(const Call& call, const Tensor* of_x, const Tensor* of_dx, const int* labels,
                           const int* label_lengths, const int* lengths, cudnnCTCLossAlgo_t algo, CtcLoss* c,
                           size_t* out);
cudnnStatus_t size_of_loss_8(const Call& call, cudnnCTCLossAlgo_t algo, CtcLoss* c, const Tensor* of_x,
                             const Tensor* of_dx, size_t* out);

}  // namespace nvmlkit::cudnn::functions
