// Descriptors of recurrent networks and of their sequences; sizes of weights and memory.
#pragma once

#include "libraries/cudnn/call.hpp"
#include "libraries/dnn/recurrent_shape.hpp"

namespace nvmlkit::cudnn::functions {

dnn::RecurrentShape shape_of(const Rnn& rnn);
dnn::Sequences sequences_of(const RnnData& data);

cudnnStatus_t set_recurrent(Rnn* r, cudnnRNNAlgo_t algo, cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                            cudnnDirectionMode_t direction, cudnnRNNInputMode_t input, cudnnDataType_t type,
                            cudnnDataType_t math, cudnnMathType_t math_type, std::int32_t input_size,
                            std::int32_t hidden_size, std::int32_t projected_size, std::int32_t layers,
                            Dropout* dropout, std::uint32_t flags);
cudnnStatus_t get_recurrent(Rnn* r, cudnnRNNAlgo_t* algo, cudnnRNNMode_t* mode, cudnnRNNBiasMode_t* bias,
                            cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input, cudnnDataType_t* type,
                            cudnnDataType_t* math, cudnnMathType_t* math_type, std::int32_t* input_size,
                            std::int32_t* hidden_size, std::int32_t* projected_size, std::int32_t* layers,
                            Dropout** dropout, std::uint32_t* flags);
cudnnStatus_t set_clip(Rnn* r, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low, double high);
cudnnStatus_t set_clip_9(Rnn* r, cudnnRNNClipMode_t mode, double low, double high);
cudnnStatus_t get_clip(Rnn* r, cudnnRNNClipMode_t* mode, cudnnNanPropagation_t* nan, double* low, double* high);
cudnnStatus_t get_clip_9(Rnn* r, cudnnRNNClipMode_t* mode, double* low, double* high);
cudnnStatus_t build_dynamic(const Call& call, Rnn* r, int batch);

cudnnStatus_t set_sequences(RnnData* d, cudnnDataType_t type, cudnnRNNDataLayout_t layout, int longest, int batch,
                            int width, const int* lengths, void* fill);
cudnnStatus_t get_sequences(RnnData* d, cudnnDataType_t* type, cudnnRNNDataLayout_t* layout, int* longest, int* batch,
                            int* width, int requested, int* lengths, void* fill);

cudnnStatus_t size_of_memory(const Call& call, Rnn* r, cudnnForwardMode_t mode, RnnData* x, size_t* work,
                             size_t* reserve);
cudnnStatus_t size_of_weights(const Call& call, Rnn* r, size_t* out);
cudnnStatus_t place_of_weights(const Call& call, Rnn* r, std::int32_t pseudo, size_t size, const void* weights,
                               std::int32_t linear, Tensor* of_matrix, void** matrix, Tensor* of_bias, void** bias);

}  // namespace nvmlkit::cudnn::functions
