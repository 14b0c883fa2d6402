// Products of sparse and dense matrices with functions of the program, which come as LTO-IR.
#pragma once

#include "libraries/cusparse/call.hpp"

namespace nvmlkit::cusparse::functions {

cusparseStatus_t create_operator_plan(const Call& call, OperatorPlan** plan, cusparseOperation_t op_a,
                                      cusparseOperation_t op_b, const SparseMatrix* a, const DenseMatrix* b,
                                      DenseMatrix* c, cudaDataType compute, cusparseSpMMOpAlg_t algorithm,
                                      const void* add, std::size_t add_size, const void* multiply,
                                      std::size_t multiply_size, const void* epilogue, std::size_t epilogue_size,
                                      std::size_t* workspace_size);
cusparseStatus_t run_operator_plan(OperatorPlan* plan, void* workspace);
cusparseStatus_t destroy_operator_plan(OperatorPlan* plan);

}  // namespace nvmlkit::cusparse::functions
