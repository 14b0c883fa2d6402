// libcublasLt of the tests.
#pragma once

#include "device.hpp"
#include "generated/cublaslt_table.hpp"

namespace nvmlkit::library_test {

using namespace cublaslt;

inline const Cublaslt& lt_library() {
  static const Cublaslt the("libcublasLt.so.12");
  return the;
}

}  // namespace nvmlkit::library_test
