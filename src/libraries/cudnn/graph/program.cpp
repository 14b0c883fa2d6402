#include "libraries/cudnn/graph/program.hpp"

#include <algorithm>

#include "libraries/cudnn/graph/operations.hpp"

namespace nvmlkit::cudnn::graph {
namespace {

// Statistics of a batch normalization are inputs, where it does not train.
Role role_of(const Content& c, const Rule& rule) {
  if (rule.name != CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC &&
      rule.name != CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC)
    return rule.role;
  const bool is_inference = c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_INFERENCE;
  return is_inference && c.get<int>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE) == CUDNN_BATCH_NORM ? Role::input
                                                                                            : Role::output;
}

// work(tensor, role)
template <class Work>
void each_tensor(const Content& c, Work work) {
  for (const Rule* const rule : rules_of(c.kind))
    if (const auto* const view = c.tensor_of(rule->name)) {
      const auto role = role_of(c, *rule);
      if (role != Role::setting) work(*view, role);
    }
}

// The next one whose virtual inputs are there.
std::size_t next_of(const std::vector<std::shared_ptr<const Content>>& left, const std::map<std::int64_t, int>& made) {
  for (std::size_t k = 0; k < left.size(); ++k) {
    bool is_ready = true;
    each_tensor(*left[k], [&](const TensorView& view, Role role) {
      if (role == Role::input && view.is_virtual && !made.contains(view.id)) is_ready = false;
    });
    if (is_ready) return k;
  }
  return left.size();
}

void add(Program& program, const Content& c) {
  each_tensor(c, [&](const TensorView& view, Role) {
    if (view.layout.type == dnn::Type::f64) program.in_double = true;
    if (view.is_virtual) return;
    if (program.tensors.emplace(view.id, view).second)
      program.bytes += static_cast<double>(view.layout.count()) * static_cast<double>(dnn::size_of(view.layout.type));
  });
  program.work += work_of(c);
  if (const auto* const factor = factor_of(c); factor && !program.multiplies) {
    program.multiplies = true;
    program.factors = factor->layout.type;
  }
}

}  // namespace

std::shared_ptr<const Program> make_program(const std::vector<std::shared_ptr<const Content>>& operations) {
  auto out = std::make_shared<Program>();
  auto left = operations;
  for (const auto& operation : operations)
    if (const char* const problem = problem_of(*operation)) {
      out->problem = problem;
      out->status = CUDNN_STATUS_NOT_SUPPORTED;
      return out;
    }
  std::map<std::int64_t, int> made;
  while (!left.empty()) {
    const auto at = next_of(left, made);
    if (at == left.size()) {
      out->problem = "a virtual tensor that no operation makes";
      out->status = CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN;
      return out;
    }
    each_tensor(*left[at], [&](const TensorView& view, Role role) {
      if (role == Role::output) made.emplace(view.id, 0);
    });
    add(*out, *left[at]);
    out->operations.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return out;
}

bool has_tf32_engine(const Program& program) {
  const auto* const driver = libraries::driver();
  return program.multiplies && program.factors == dnn::Type::f32 && !program.in_double && driver && has_tf32(*driver);
}

template <class T>
void run(const Program& program, Engine engine, const Bindings& bindings, Running& running) {
  Tables<T> tables(bindings, running, engine == kTf32);
  for (const auto& operation : program.operations) {
    running.tick();
    run(*operation, tables);
  }
}
template void run<float>(const Program&, Engine, const Bindings&, Running&);
template void run<double>(const Program&, Engine, const Bindings&, Running&);

}  // namespace nvmlkit::cudnn::graph
