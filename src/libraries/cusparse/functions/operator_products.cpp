#include "libraries/cusparse/functions/operator_products.hpp"

#include <dlfcn.h>

#include <limits>

#include "libraries/cusparse/dense.hpp"
#include "libraries/cusparse/functions/objects.hpp"
#include "libraries/cusparse/functions/shapes.hpp"
#include "libraries/cusparse/operators.hpp"

namespace nvmlkit::cusparse::functions {
namespace {

bool is_loaded(const char* library) {
  void* const found = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (found) dlclose(found);
  return found != nullptr;
}
// This library is for CUDA 12 and for CUDA 13: a program has the compiler of its release.
const char* release() {
  static const bool kIsOld = is_loaded("libnvrtc.so.12") && !is_loaded("libnvrtc.so.13");
  return kIsOld ? ".so.12" : ".so.13";
}

std::string bytes_of(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

cusparseStatus_t status_of(libraries::Linking linking) {
  switch (linking) {
    case libraries::Linking::done:
      return CUSPARSE_STATUS_SUCCESS;
    case libraries::Linking::no_compiler:
      return CUSPARSE_STATUS_NOT_SUPPORTED;
    default:
      return CUSPARSE_STATUS_INTERNAL_ERROR;
  }
}

// Each element of the result is one thread's.
bool has_threads(const DenseMatrix& c) {
  return c.columns == 0 || c.rows <= std::numeric_limits<Size>::max() / c.columns;
}

}  // namespace

cusparseStatus_t create_operator_plan(const Call& call, OperatorPlan** plan, cusparseOperation_t op_a,
                                      cusparseOperation_t op_b, const SparseMatrix* a, const DenseMatrix* b,
                                      DenseMatrix* c, cudaDataType compute, cusparseSpMMOpAlg_t algorithm,
                                      const void* add, std::size_t add_size, const void* multiply,
                                      std::size_t multiply_size, const void* epilogue, std::size_t epilogue_size,
                                      std::size_t* workspace_size) {
  const bool has_all = plan && is_object(a) && is_object(b) && is_object(c) && add && add_size && multiply &&
                       multiply_size && epilogue && epilogue_size && workspace_size;
  if (!has_all || algorithm != CUSPARSE_SPMM_OP_ALG_DEFAULT || !fit(op_a, *a, op_b, *b, *c))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const ProductTypes types{
      .factors = a->type,
      .result = c->type,
      .compute = compute,
      .index = a->index_type,
      .conjugates = op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && blas::is_complex(type_of(a->type))};
  if (is_turned(op_a) || a->format != CUSPARSE_FORMAT_CSR || b->type != a->type || !are_supported(types) ||
      a->batches > 1 || b->batches > 1 || c->batches > 1 || !has_threads(*c))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  auto made = std::make_unique<OperatorPlan>();
  const auto linked = libraries::linked_kernel(*call.handle.driver, product_kernel(types),
                                               {{"add_op", bytes_of(add, add_size)},
                                                {"mul_op", bytes_of(multiply, multiply_size)},
                                                {"epilogue", bytes_of(epilogue, epilogue_size)}},
                                               release(), made->kernel);
  if (linked != libraries::Linking::done) return status_of(linked);
  made->handle = &call.handle;
  made->a = *a;
  made->b = *b;
  made->c = *c;
  made->op_b = op_b;
  *workspace_size = kBuffer;
  *plan = made.release();
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t run_operator_plan(OperatorPlan* plan, void*) {
  if (!is_object(plan) || !is_object(plan->handle)) return CUSPARSE_STATUS_INVALID_VALUE;
  ProductPlaces places = places_of(plan->a, plan->b, plan->op_b, plan->c);
  void* parameters[] = {&places};
  const auto count = static_cast<unsigned long long>(places.rows) * static_cast<unsigned long long>(places.columns);
  return Call::status_of(plan->kernel->launch(plan->handle->stream, count, 0, parameters));
}

cusparseStatus_t destroy_operator_plan(OperatorPlan* plan) { return destroy_object(plan); }

}  // namespace nvmlkit::cusparse::functions
