#include "scenario/keys.hpp"

namespace nvmlkit::scenario {
namespace {

constexpr Key kFileKeys[] = {
    {"name", Form::text, "Name of the scenario in reports. Default: the name of the file"},
    {"description", Form::text, "For people; nvmlkit scenario list prints that of ready ones"},
    {"seed", Form::text, "Draws of GPUs, nodes, times and chances follow from this text. Default: the name"},
    {"nodes", Form::nodes, "The nodes of all steps that have no `nodes` of their own. Default: every node"},
    {"gpus", Form::gpus, "The GPUs of all steps that have no `gpus` of their own, drawn once. Default: all"},
    {"groups", Form::groups,
     "Names for choices of GPUs. A group is drawn once, so that several steps are about the same GPUs"},
    {"end", Form::duration, "When the scenario ends, from its beginning. Steps that are not done by then are left out"},
    {"undo", Form::flag,
     "Whether a node takes back what the scenario did once the file is removed or changed. Default: true"},
    {"steps", Form::steps, "What happens, in order"},
};
constexpr Key kStepKeys[] = {
    {"name", Form::text, "Name of the step in reports"},
    {"at", Form::moment, "When the step begins, from the beginning of the scenario. `5s to 20s`: a time is drawn"},
    {"after", Form::moment, "When the step begins, from the end of the step before. Default: 0s"},
    {"every", Form::duration, "The step is done again and again, at this distance"},
    {"repeat", Form::whole, "How often `every` does the step. Default: without end"},
    {"chance", Form::chance, "The step is done with this probability, drawn for each repetition"},
    {"if", Form::condition, "The step is left out unless this holds when it begins"},
    {"when", Form::condition, "The step waits until this holds"},
    {"nodes", Form::nodes, "The nodes of the step"},
    {"gpus", Form::gpus, "The GPUs of lines and conditions that name none"},
    {"do", Form::lines,
     "One or several commands: set, load, release, fault, heal, mig, process, as `nvmlkit` takes them. Without `gpu=`, "
     "the GPUs of "
     "the step"},
    {"any", Form::lines, "The same as `do`, but only one of the commands, which is drawn"},
    {"from", Form::text,
     "A recording, whose utilization becomes loads at its times: FILE beside the scenario, or FILE gpu=INDEX. In place "
     "of "
     "`do`"},
    {"for", Form::duration, "After this time, what the commands did is taken back"},
    {"expect", Form::conditions, "This has to hold once the commands are done, at the latest after `within`"},
    {"within", Form::duration, "How long `expect` has time; without `expect`, how long `when` waits"},
};
constexpr Key kGpuKeys[] = {
    {"count", Form::whole, "So many GPUs, drawn"},
    {"fraction", Form::chance, "Such a part of the GPUs, drawn. Over many nodes the part is exact"},
    {"of", Form::texts, "Drawn from these: indices, ranges such as 0-3, UUIDs, bus ids. Default: all"},
};
constexpr Key kNodeKeys[] = {
    {"names", Form::texts, "Names of nodes; * and ? stand for any text and any character"},
    {"labels", Form::labels, "Labels of nodes; values may have * and ?"},
    {"pool", Form::texts, "Pools of the chart; the label nvmlkit.io/pool"},
    {"fraction", Form::chance, "Such a part of the nodes, drawn by their names"},
};

}  // namespace

std::span<const Key> file_keys() { return kFileKeys; }
std::span<const Key> step_keys() { return kStepKeys; }
std::span<const Key> gpu_keys() { return kGpuKeys; }
std::span<const Key> node_keys() { return kNodeKeys; }

}  // namespace nvmlkit::scenario
