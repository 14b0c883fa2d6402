// Tests of the functions with data types as arguments and 64-bit sizes.
#pragma once

#include "library.hpp"

namespace nvmlkit::library_test {

template <class T>
struct Generic : testing::Test {
  static constexpr cudaDataType kReal = std::is_same_v<Real<T>, float> ? CUDA_R_32F : CUDA_R_64F;

  void SetUp() override {
    ASSERT_EQ(library().cusolverDnCreateParams(&parameters), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(library().cusolverDnSetAdvOptions(parameters, CUSOLVERDN_GETRF, CUSOLVER_ALG_1), CUSOLVER_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(library().cusolverDnDestroyParams(parameters), CUSOLVER_STATUS_SUCCESS); }

  Parameters* parameters = nullptr;
  const cudaDataType type = type_of<T>();
};

}  // namespace nvmlkit::library_test
