// The signatures of the runtime's functions, as data: rows are generated from what its headers declare.
#pragma once

#include <cstddef>
#include <vector>

namespace nvmlkit::cuda_test::runtime {

struct Argument {
  enum class Kind { value, handle, pointer, optional_pointer, callback, structure };
  Kind kind = Kind::value;
  std::size_t words = 1;  // of a struct that is handed over as itself
  const char* type = "";  // of a handle

  bool is_pointer() const { return kind == Kind::pointer || kind == Kind::optional_pointer; }
};

struct Contract {
  const char* name;
  std::vector<int> versions;  // of CUDA, 12
  std::vector<Argument> arguments;
};

const std::vector<Contract>& contracts();

}  // namespace nvmlkit::cuda_test::runtime
