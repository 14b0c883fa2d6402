// Hands work to a stream.
#pragma once

#include "driver/cuda/streams/streams.hpp"
#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

// Hands it to the queue of the stream, or to the capture of a stream that is captured. It is done when the call returns
// where that is documented: copies to and from memory that the driver does not know may be.
CUresult enqueue(Context& context, CUstream stream, StreamWork work);

// A copy in the default stream of the calling thread, done when the call returns unless it is within devices.
CUresult copy_now(Context& context, const CopyWork& work);

}  // namespace nvmlkit::cuda
