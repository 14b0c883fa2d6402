// Makes the tasks of a stream from work.
#pragma once

#include <vector>

#include "driver/cuda/memory/copies.hpp"
#include "driver/cuda/streams/queue.hpp"
#include "driver/cuda/work/work.hpp"

namespace nvmlkit::cuda {

// A task whose work is not set yet.
Task task_of(Context& context);

// Copies, when the stream comes to it.
Task copy_task(Context& context, Copy copy);

// Appends the tasks that get it done, in order. What the work names is looked up now.
CUresult plan(Context& context, const StreamWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const KernelWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const CopyWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const FillWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const HostWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const NoWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const WaitWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const RecordWork& work, std::vector<Task>& out);
CUresult plan(Context& context, const BatchWork& work, std::vector<Task>& out);

}  // namespace nvmlkit::cuda
