// An operation graph that can run: its operations in an order in which each finds its inputs.
#pragma once

#include "libraries/cudnn/graph/content.hpp"

namespace nvmlkit::cudnn::graph {

struct Program {
  std::vector<std::shared_ptr<const Content>> operations;
  std::map<std::int64_t, TensorView> tensors;  // that the program gives memory for, by id
  bool in_double = false;
  std::string problem;  // why it cannot run; empty: it can
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  double work = 0, bytes = 0;  // numbers that are computed, and moved
  bool multiplies = false;     // matrices: products and convolutions
  dnn::Type factors{};         // the type of those
};

std::shared_ptr<const Program> make_program(const std::vector<std::shared_ptr<const Content>>& operations);

// What a variant pack gives a tensor: an address, or for one by value its bytes.
struct Binding {
  void* address = nullptr;
  std::vector<std::byte> value;
};
using Bindings = std::map<std::int64_t, Binding>;

// Engines that run a program: kExact, and where it multiplies floats kTf32, which rounds those.
enum Engine : std::int64_t { kExact = 0, kTf32 = 1 };
bool has_tf32_engine(const Program& program);

template <class T>
void run(const Program& program, Engine engine, const Bindings& bindings, Running& running);

// Why an operation cannot run, or null. Its attributes are complete.
const char* problem_of(const Content& operation);
bool has_right_sizes(const Content& operation);
double work_of(const Content& operation);
// The first factor of a product or a convolution, or null.
const TensorView* factor_of(const Content& operation);

}  // namespace nvmlkit::cudnn::graph
