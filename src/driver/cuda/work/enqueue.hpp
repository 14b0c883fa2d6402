// Hands work to a stream.
#pragma once

#include "driver/cuda/streams/streams.hpp"
#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

// Hands it to the queue of the stream, or to the capture of a stream that is captured. It is done when the call returns
// where that is documented: copies to and from memory that the driver does not know may be.
// in_call: an idle stream does it in the call. Copies and fills that are not called asynchronous may go on behind their
// call, as documented. A GPU has done them before the program can hand work to another stream, and programs count on
// it.
CUresult enqueue(Context& context, CUstream stream, StreamWork work, bool in_call = false);

// A copy in the default stream of the calling thread, done when the call returns unless it is within devices.
CUresult copy_now(Context& context, const CopyWork& work);

}  // namespace nvmlkit::cuda
