// Links: inputs, the image, the log.
#pragma once

#include "libraries/nvjitlink/call.hpp"

namespace nvmlkit::nvjitlink::functions {

nvJitLinkResult create(Link** out, std::uint32_t count, const char* const* options);
nvJitLinkResult destroy(Link** link);
nvJitLinkResult add_data(Link* link, nvJitLinkInputType type, const void* data, std::size_t size, const char* name);
nvJitLinkResult add_file(Link* link, nvJitLinkInputType type, const char* file);
nvJitLinkResult complete(Link* link);
nvJitLinkResult cubin_size(Link* link, std::size_t* size);
nvJitLinkResult cubin(Link* link, void* out);
// Documented: of links with -lto.
nvJitLinkResult ptx_size(Link* link, std::size_t* size);
nvJitLinkResult ptx(Link* link, char* out);
nvJitLinkResult error_log_size(Link* link, std::size_t* size);
nvJitLinkResult error_log(Link* link, char* out);
nvJitLinkResult info_log_size(Link* link, std::size_t* size);
nvJitLinkResult info_log(Link* link, char* out);
nvJitLinkResult version(unsigned int* major, unsigned int* minor);

}  // namespace nvmlkit::nvjitlink::functions
