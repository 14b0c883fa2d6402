// The graph interface: descriptors with attributes, plans that run.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t create_backend(cudnnBackendDescriptorType_t kind, BackendDescriptor** out);
cudnnStatus_t destroy_backend(BackendDescriptor* d);
cudnnStatus_t initialize_backend(BackendDescriptor* d);
cudnnStatus_t finalize_backend(BackendDescriptor* d);
cudnnStatus_t set_attribute(BackendDescriptor* d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            std::int64_t count, const void* elements);
cudnnStatus_t get_attribute(const BackendDescriptor* d, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, std::int64_t requested, std::int64_t* count,
                            void* elements);
cudnnStatus_t execute(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack);

}  // namespace nvmlkit::cudnn::functions
