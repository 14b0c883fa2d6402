#include "cli/commands.hpp"

namespace nvmlkit::cli {

std::vector<Command> all_commands() {
  return {run_command(),
          list_command(),
          machines_command(),
          check_command(),
          up_command(),
          down_command(),
          status_command(),
          get_command(),
          set_command(),
          load_command(),
          release_command(),
          time_command(),
          fault_command(),
          heal_command(),
          kernel_log_command(),
          scenario_command(),
          scenario_run_command(),
          scenario_check_command(),
          scenario_list_command(),
          scenario_show_command(),
          scenario_schema_command(),
          replay_command(),
          vgpu_command(),
          vgpu_create_command(),
          vgpu_list_command(),
          vgpu_destroy_command(),
          serve_command(),
          top_command(),
          smi_command(),
          trace_command(),
          trace_record_command(),
          trace_replay_command(),
          trace_show_command(),
          trace_count_command(),
          trace_diff_command(),
          trace_convert_command(),
          caps_command(),
          capture_command(),
          import_command(),
          root_command(),
          node_command(),
          help_command(),
          completion_command(),
          complete_command()};
}

void declare_json(Arguments& arguments, bool& as_json) { arguments.flag("--json", as_json, "As JSON"); }

}  // namespace nvmlkit::cli
