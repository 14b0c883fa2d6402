// The commands of nvidia-smi beside its log.
#pragma once

#include <string>
#include <vector>

#include "smi/gpu.hpp"
#include "smi/options.hpp"
#include "smi/select.hpp"

namespace nvmlkit::smi {

std::string help_text();
std::string version_text(const Host& host);
// GPUs that do not answer have a line, too; the status is that of the last of them.
Output list_gpus(const Selection& selection);
std::string table(const Host& host, const std::vector<Gpu>& gpus);
Output query_gpus(const Host& host, const Selection& selection, const Options& options);
// Compute processes, clocks, remapped rows, retired pages: by the command of the options.
Output query_list(const Selection& selection, const Options& options);
Output topology(const Selection& selection, const Options& options);
Output mig(const Host& host, const Selection& selection, const Options& options);
Output nvlink(const Host& host, const Options& options);
// Both print line after line, and return the exit status.
int monitor(const Host& host, const Options& options);
int monitor_processes(const Host& host, const Options& options);

}  // namespace nvmlkit::smi
