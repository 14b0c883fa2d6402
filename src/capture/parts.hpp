// The parts of a machine with more than one value. Each part finds its candidates in the answers.
#pragma once

#include "capture/record.hpp"

namespace nvmlkit::capture {

void record_host(Record& host, const Answers& answers);
void record_gpu(Record& gpu, const Answers& answers);

// Of a GPU:
void record_lists(Record& gpu);  // clocks, sessions, retired pages, profiles
void record_processes(Record& gpu, const Answers& answers);
std::vector<std::uint64_t> vgpu_pids(const Record& gpu,
                                     const Answers& answers);  // of what runs its vGPUs, in their order
void record_mig(Record& gpu, const Answers& answers);
void record_fabric(Record& gpu);
void record_vgpus(Record& gpu, const Answers& answers);
// Of the host:
void record_topology(Record& host, const Answers& answers);
void record_links(Record& host, const Answers& answers);
void record_units(Record& host, const Answers& answers);

}  // namespace nvmlkit::capture
