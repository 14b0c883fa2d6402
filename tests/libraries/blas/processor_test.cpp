// A processor with AVX2 gets functions that use it, also if OpenBLAS does not know its model.
#include "libraries/blas/processor.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace nvmlkit::blas {
namespace {

TEST(Processor, ANameThatIsSetCounts) {
  const char* const name = std::getenv("OPENBLAS_CORETYPE");
  if (!name) GTEST_SKIP() << "OPENBLAS_CORETYPE is not set";
  EXPECT_STREQ(core_name(), name);
}

TEST(Processor, HasItsVectors) {
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2";
  EXPECT_TRUE(uses_vectors()) << core_name();
}

}  // namespace
}  // namespace nvmlkit::blas
