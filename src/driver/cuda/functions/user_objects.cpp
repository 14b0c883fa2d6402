// Objects of the program that graphs retain.
#include "driver/cuda/graphs/user_objects.hpp"

#include <climits>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/graph.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

CUresult value_error_unless(bool is_right) { return is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

}  // namespace

CUresult UserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy, unsigned int initialRefcount,
                          unsigned int flags) {
  // No call can wait for a destructor: the caller must confirm that.
  if (!destroy || !is_count(initialRefcount) || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  *object_out = user_objects::make(ptr, destroy, initialRefcount);
  return CUDA_SUCCESS;
}

CUresult UserObjectRetain(CUuserObject object, unsigned int count) {
  return value_error_unless(is_count(count) && user_objects::retain(object, count));
}

CUresult UserObjectRelease(CUuserObject object, unsigned int count) {
  return value_error_unless(is_count(count) && user_objects::release(object, count));
}

CUresult GraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
  if (!is_count(count) || (flags & ~CU_GRAPH_USER_OBJECT_MOVE) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto guard = graphs::guard();
  const auto own = graphs::find(graph);
  if (!own) return CUDA_ERROR_INVALID_VALUE;
  const bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;
  return value_error_unless(moves ? own->objects.adopt(object, count) : own->objects.retain(object, count));
}

CUresult GraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  const auto guard = graphs::guard();
  const auto own = graphs::find(graph);
  return value_error_unless(own && is_count(count) && own->objects.release(object, count));
}

}  // namespace nvmlkit::cuda::functions
