// Descriptors of tensors, filters and convolutions.
#pragma once

#include "convolution_case.hpp"

namespace nvmlkit::library_test {

inline std::vector<int> narrow(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

// A descriptor that goes with its scope.
template <class T>
class Owned {
 public:
  using Destroy = cudnnStatus_t (*)(T*);
  Owned(cudnnStatus_t (*create)(T**), Destroy destroy) : destroy_(destroy) {
    EXPECT_EQ(create(&raw_), CUDNN_STATUS_SUCCESS);
  }
  ~Owned() { EXPECT_EQ(destroy_(raw_), CUDNN_STATUS_SUCCESS); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* get() const { return raw_; }

 private:
  T* raw_ = nullptr;
  Destroy destroy_;
};

struct TensorOf : Owned<Tensor> {
  TensorOf() : Owned(library().cudnnCreateTensorDescriptor, library().cudnnDestroyTensorDescriptor) {}
  TensorOf(cudnnDataType_t type, const Sizes& sizes, const Sizes& strides) : TensorOf() {
    EXPECT_EQ(library().cudnnSetTensorNdDescriptor(get(), type, static_cast<int>(sizes.size()), narrow(sizes).data(),
                                                   narrow(strides).data()),
              CUDNN_STATUS_SUCCESS);
  }
  explicit TensorOf(const OnGpu& t) : TensorOf(t.type(), t.sizes(), t.strides()) {}
};

struct FilterOf : Owned<Filter> {
  FilterOf(cudnnDataType_t type, const Sizes& sizes, cudnnTensorFormat_t format)
      : Owned(library().cudnnCreateFilterDescriptor, library().cudnnDestroyFilterDescriptor) {
    EXPECT_EQ(
        library().cudnnSetFilterNdDescriptor(get(), type, format, static_cast<int>(sizes.size()), narrow(sizes).data()),
        CUDNN_STATUS_SUCCESS);
  }
};

struct ConvolutionOf : Owned<Convolution> {
  explicit ConvolutionOf(const ConvolutionCase& c)
      : Owned(library().cudnnCreateConvolutionDescriptor, library().cudnnDestroyConvolutionDescriptor) {
    EXPECT_EQ(library().cudnnSetConvolutionNdDescriptor(
                  get(), static_cast<int>(c.space), narrow(c.pad).data(), narrow(c.stride).data(),
                  narrow(c.dilation).data(), c.flips ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(library().cudnnSetConvolutionGroupCount(get(), static_cast<int>(c.groups)), CUDNN_STATUS_SUCCESS);
  }
};

struct ActivationOf : Owned<Activation> {
  explicit ActivationOf(cudnnActivationMode_t mode, double coefficient = 0)
      : Owned(library().cudnnCreateActivationDescriptor, library().cudnnDestroyActivationDescriptor) {
    EXPECT_EQ(library().cudnnSetActivationDescriptor(get(), mode, CUDNN_NOT_PROPAGATE_NAN, coefficient),
              CUDNN_STATUS_SUCCESS);
  }
};

// A scaling factor of the type that the tensors want.
class Factor {
 public:
  Factor(double value, cudnnDataType_t type) : wide_(value), narrow_(static_cast<float>(value)), type_(type) {}
  const void* get() const { return type_ == CUDNN_DATA_DOUBLE ? static_cast<const void*>(&wide_) : &narrow_; }

 private:
  double wide_;
  float narrow_;
  cudnnDataType_t type_;
};

inline void wait() { ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS); }

}  // namespace nvmlkit::library_test
