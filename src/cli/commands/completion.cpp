// nvmlkit completion
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/completion/scripts.hpp"

namespace nvmlkit::cli {

Command completion_command() {
  return {.name = "completion",
          .summary = "Print the script that makes a shell complete the words of nvmlkit",
          .group = Group::help,
          .details = "Packages and `cmake --install` put the scripts where the shells look for them.",
          .examples = {{"eval \"$(nvmlkit completion bash)\"", "in ~/.bashrc"},
                       {"eval \"$(nvmlkit completion zsh)\"", "in ~/.zshrc, behind compinit"},
                       {"nvmlkit completion fish | source", "in ~/.config/fish/config.fish"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto shell = std::make_shared<std::string>();
            std::vector<std::string> shells;
            for (const auto& script : completion_scripts()) shells.emplace_back(script.shell);
            arguments.argument("SHELL", Kind::text, *shell, "The shell").required().only(shells);
            return [shell] {
              for (const auto& script : completion_scripts())
                if (script.shell == *shell) fmt::print("{}", script.text);
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
