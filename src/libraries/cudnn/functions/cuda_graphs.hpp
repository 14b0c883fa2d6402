// Plans as nodes of a program's CUDA graph.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t populate_graph(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack, CUgraph graph);
// The nodes that a plan made, made again for other memory.
cudnnStatus_t update_graph(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack, CUgraph graph);

}  // namespace nvmlkit::cudnn::functions
