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
Output query_compute_apps(const Selection& selection, const Options& options);
Output topology(const Selection& selection, const Options& options);
Output mig(const Host& host, const Selection& selection, const Options& options);
// Prints line after line; returns the exit status.
int monitor(const Host& host, const Options& options);

}  // namespace nvmlkit::smi
