// Handles, descriptors of tensors, versions, errors.
#include <string>

#include "library.hpp"

namespace nvmlkit::library_test {
namespace {

TEST(Calls, HandlesThatAreNone) {
  gpu();
  Handle* made = nullptr;
  CUstream stream = nullptr;
  EXPECT_EQ(library().cudnnCreate(nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnSetStream(nullptr, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnDestroy(nullptr), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(library().cudnnCreate(&made), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnGetStream(made, &stream), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(library().cudnnGetStream(made, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnDestroy(made), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnGetStream(made, &stream), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnDestroy(made), CUDNN_STATUS_BAD_PARAM);
}

TEST(Calls, VersionsAndNames) {
  int major = 0;
  EXPECT_EQ(library().cudnnGetProperty(MAJOR_VERSION, &major), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnGetVersion() / 10000, static_cast<std::size_t>(major));
  EXPECT_STREQ(library().cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM), "CUDNN_STATUS_BAD_PARAM");
  EXPECT_STREQ(library().cudnnGetErrorString(static_cast<cudnnStatus_t>(77)), "CUDNN_UNKNOWN_STATUS");
  char text[64] = "x";
  EXPECT_EQ(library().cudnnSetStream(nullptr, nullptr), CUDNN_STATUS_BAD_PARAM);
  library().cudnnGetLastErrorString(text, sizeof text);
  EXPECT_STREQ(text, "the handle is none");
  library().cudnnGetLastErrorString(text, sizeof text);
  EXPECT_STREQ(text, "");
}

// Statuses as NVIDIA's library of release 9.19 gives them.
TEST(Calls, Tensors) {
  Tensor* t = nullptr;
  EXPECT_EQ(library().cudnnCreateTensorDescriptor(nullptr), CUDNN_STATUS_BAD_PARAM);
  ASSERT_EQ(library().cudnnCreateTensorDescriptor(&t), CUDNN_STATUS_SUCCESS);
  const int sizes[] = {2, 3, 4, 5, 1, 1, 1, 1, 1}, strides[] = {60, 20, 5, 1, 1, 1, 1, 1, 1};
  const int empty[] = {2, 0, 4, 5}, flat[] = {0, 20, 5, 1};
  const auto set = [&](Tensor* to, cudnnDataType_t type, int count, const int* n, const int* s) {
    return library().cudnnSetTensorNdDescriptor(to, type, count, n, s);
  };
  EXPECT_EQ(set(t, CUDNN_DATA_FLOAT, 4, sizes, strides), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(nullptr, CUDNN_DATA_FLOAT, 4, sizes, strides), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(t, CUDNN_DATA_FLOAT, 2, sizes, strides), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(set(t, CUDNN_DATA_FLOAT, 9, sizes, strides), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(set(t, CUDNN_DATA_FLOAT, 4, empty, strides), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(t, CUDNN_DATA_FLOAT, 4, sizes, flat), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(t, static_cast<cudnnDataType_t>(99), 4, sizes, strides), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 0, 2, 3, 4),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnSetTensor4dDescriptor(t, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 1, 2, 3, 4),
            CUDNN_STATUS_SUCCESS);
  int n[4] = {}, s[4] = {};
  cudnnDataType_t type{};
  EXPECT_EQ(library().cudnnGetTensor4dDescriptor(t, &type, n, n + 1, n + 2, n + 3, s, s + 1, s + 2, s + 3),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(type, CUDNN_DATA_HALF);
  EXPECT_EQ(std::vector<int>(s, s + 4), (std::vector<int>{24, 1, 8, 2}));
  std::size_t bytes = 0;
  EXPECT_EQ(library().cudnnGetTensorSizeInBytes(t, &bytes), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 48U);
  EXPECT_EQ(library().cudnnDestroyTensorDescriptor(t), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(library().cudnnDestroyTensorDescriptor(t), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(library().cudnnDestroyTensorDescriptor(nullptr), CUDNN_STATUS_SUCCESS);
}

TEST(Calls, WhatIsNotSimulatedSaysSo) {
  for (const char* const name : kCudnnUnsupported) {
    EXPECT_EQ(library().find<cudnnStatus_t (*)(Handle*)>(name)(handle()), CUDNN_STATUS_NOT_SUPPORTED) << name;
    EXPECT_NE(library().find<cudnnStatus_t (*)(Handle*)>(name)(nullptr), CUDNN_STATUS_NOT_SUPPORTED) << name;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
