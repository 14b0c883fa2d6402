// What every exported function promises, as data: rows are generated from the registry.
#pragma once

#include <vector>

namespace nvmlkit::cuda_test {

enum class Answer { code, refused, later };
enum class Needs { nothing, init, context };
enum class Argument { value, pointer, optional_pointer, callback, object };

struct Contract {
  const char* name;
  Answer answer;
  Needs needs;
  std::vector<Argument> arguments;
};

const std::vector<Contract>& contracts();

}  // namespace nvmlkit::cuda_test
