// Descriptors of tensors and filters.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

template <class T>
cudnnStatus_t create_descriptor(T** out) {
  if (!out) return bad("no place for the descriptor");
  *out = Live<T>::make();
  return CUDNN_STATUS_SUCCESS;
}
// As documented: without a descriptor nothing is done.
template <class T>
cudnnStatus_t destroy_descriptor(T* descriptor) {
  if (!descriptor || Live<T>::destroy(descriptor)) return CUDNN_STATUS_SUCCESS;
  return bad("the descriptor is none");
}

// Four sizes that are right.
void set_layout(dnn::Layout& out, dnn::Type type, const int* sizes, cudnnTensorFormat_t format);

cudnnStatus_t set_tensor_4d(Tensor* t, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c, int h, int w);
cudnnStatus_t set_tensor_4d_strides(Tensor* t, cudnnDataType_t type, int n, int c, int h, int w, int of_n, int of_c,
                                    int of_h, int of_w);
cudnnStatus_t set_tensor(Tensor* t, cudnnDataType_t type, int count, const int* sizes, const int* strides);
cudnnStatus_t set_tensor_of_format(Tensor* t, cudnnTensorFormat_t format, cudnnDataType_t type, int count,
                                   const int* sizes);
cudnnStatus_t get_tensor_4d(const Tensor* t, cudnnDataType_t* type, int* n, int* c, int* h, int* w, int* of_n,
                            int* of_c, int* of_h, int* of_w);
cudnnStatus_t get_tensor(const Tensor* t, int requested, cudnnDataType_t* type, int* count, int* sizes, int* strides);
cudnnStatus_t size_of_tensor(const Tensor* t, size_t* out);

cudnnStatus_t set_filter_4d(Filter* f, cudnnDataType_t type, cudnnTensorFormat_t format, int k, int c, int h, int w);
cudnnStatus_t set_filter(Filter* f, cudnnDataType_t type, cudnnTensorFormat_t format, int count, const int* sizes);
cudnnStatus_t get_filter_4d(const Filter* f, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* k, int* c, int* h,
                            int* w);
cudnnStatus_t get_filter(const Filter* f, int requested, cudnnDataType_t* type, cudnnTensorFormat_t* format, int* count,
                         int* sizes);
cudnnStatus_t size_of_filter(const Filter* f, size_t* out);

}  // namespace nvmlkit::cudnn::functions
