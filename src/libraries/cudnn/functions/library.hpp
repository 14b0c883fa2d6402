// Handles, streams, versions, errors.
#pragma once

#include "libraries/cudnn/call.hpp"

namespace nvmlkit::cudnn::functions {

cudnnStatus_t create(Handle** out);
cudnnStatus_t destroy(const Call& call);
cudnnStatus_t set_stream(const Call& call, CUstream stream);
cudnnStatus_t get_stream(const Call& call, CUstream* out);
size_t version();
size_t newest_device();
size_t runtime_version();
cudnnStatus_t property(libraryPropertyType type, int* out);
cudnnStatus_t check_version();
const char* name_of_status(cudnnStatus_t status);
void last_error(char* message, size_t size);
cudnnStatus_t runtime_error(const Call& call, cudnnStatus_t* status, cudnnErrQueryMode_t mode, void* tag);
cudnnStatus_t set_callback(unsigned mask, void* data, Callback function);
cudnnStatus_t get_callback(unsigned* mask, void** data, Callback* function);

}  // namespace nvmlkit::cudnn::functions
