// Handles, versions, logs.
#pragma once

#include <cstdio>

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t create(Handle** out);
cublasStatus_t destroy(Handle* handle);
std::size_t get_version();
std::size_t get_cudart_version();
cublasStatus_t get_property(libraryPropertyType type, int* value);
cublasStatus_t set_log_callback(LogCallback callback);
cublasStatus_t set_log_number(int number);
cublasStatus_t disable_log();
cublasStatus_t open_log(const char* path);
cublasStatus_t set_log_file(std::FILE* file);
cublasStatus_t get_cache_capacity(std::size_t* capacity);
cublasStatus_t set_cache_capacity(std::size_t capacity);
unsigned set_cpu_mask(unsigned mask);
const char* name_of_status(cublasStatus_t status);
const char* text_of_status(cublasStatus_t status);

}  // namespace nvmlkit::cublaslt::functions
