// nvmlkit complete: what the scripts of completion/ ask.
#include "cli/completion/complete.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command complete_command() {
  return {.name = "complete",
          .summary = "List what may stand at the end of a command line",
          .group = Group::hidden,
          .examples = {{"nvmlkit complete -- run -m h", "the last word is what was typed of it so far"}},
          .declare = [](Arguments& arguments) -> Action {
            arguments.program("WORD", "The words behind nvmlkit");
            return [&arguments_node = arguments.node(), &root = arguments.root()] {
              const auto& words = arguments_node.program;
              for (const auto& candidate : complete(root, {words.begin(), words.end()}))
                fmt::print("{}{}{}\n", candidate.value, candidate.meaning.empty() ? "" : "\t", candidate.meaning);
              return 0;
            };
          }};
}

}  // namespace nvmlkit::cli
