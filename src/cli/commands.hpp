// The list of all commands. A new one is a file in commands/, a line here and a line in commands.cpp.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace nvmlkit::cli {

inline constexpr const char* kSummary = "Simulated NVIDIA GPUs for programs that use NVML, such as nvidia-smi";

// In the order in which --help lists them.
std::vector<Command> all_commands();

// --json, the same for every command that has it.
void declare_json(Arguments& arguments, bool& as_json);

Command run_command();
Command list_command();
Command machines_command();
Command check_command();
Command up_command();
Command down_command();
Command status_command();
Command get_command();
Command set_command();
Command load_command();
Command release_command();
Command time_command();
Command fault_command();
Command heal_command();
Command kernel_log_command();
Command replay_command();
Command scenario_command();
Command scenario_run_command();
Command scenario_check_command();
Command scenario_list_command();
Command scenario_show_command();
Command scenario_schema_command();
Command mig_command();
Command mig_enable_command();
Command mig_disable_command();
Command mig_create_command();
Command mig_destroy_command();
Command mig_clear_command();
Command mig_list_command();
Command mig_profiles_command();
Command process_command();
Command process_start_command();
Command process_end_command();
Command process_list_command();
Command vgpu_command();
Command vgpu_create_command();
Command vgpu_list_command();
Command vgpu_destroy_command();
Command serve_command();
Command top_command();
Command smi_command();
Command sanitize_command();
Command trace_command();
Command trace_record_command();
Command trace_replay_command();
Command trace_show_command();
Command trace_count_command();
Command trace_diff_command();
Command trace_convert_command();
Command caps_command();
Command capture_command();
Command import_command();
Command root_command();
Command node_command();
Command help_command();
Command completion_command();
Command complete_command();

}  // namespace nvmlkit::cli
