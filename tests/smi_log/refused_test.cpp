// Input that cannot be used: one line with the place, and never a crash.
#include <algorithm>

#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

struct Bad {
  const char* name;
  std::string text;
  std::string message;  // what it begins with
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

const Bad kBad[] = {
    {"Empty", "", "log.txt: no GPU found"},
    {"Prose", "it does not work\n", "log.txt: no GPU found"},
    {"Binary",
     std::string("\x7f"
                 "ELF\x02\0\0\0",
                 8) +
         text_log("    Minor Number : 0"),
     "log.txt: expected the output of nvidia-smi -q or nvidia-smi -q -x, got a file that is no text (byte 5 is 0)"},
    {"TooMuch", std::string(kMostBytes + 1, '\n'),
     "log.txt: expected the output of nvidia-smi -q or nvidia-smi -q -x, got more than 64 MiB"},
    {"NoGpu", "==============NVSMI LOG==============\nDriver Version : 550\n", "log.txt: no GPU found"},
    {"CutXml", "first line\n<nvidia_smi_log>\n<gpu id=\"0000:3B:00.0\">\n",
     "log.txt:2: the XML of nvidia-smi -q -x has no end"},
    {"LostIndentation", "GPU 00000000:3B:00.0\nProduct Name : Tesla T4\n",
     "log.txt:2: 'Product Name' has lost its indentation; paste the log as nvidia-smi printed it"},
    {"CrossedXml", "<nvidia_smi_log>\n<gpu id=\"0000:3B:00.0\">\n</nvidia_smi_log>\n", "log.txt:"},
    {"SameGpuTwice", text_log("    Minor Number                          : 0") + "GPU 00000000:3B:00.0\n",
     "log.txt:9: the GPU 00000000:3B:00.0 comes twice in one log"},
    {"XmlBusId", xml_log("", "somewhere"), "log.txt:5: expected the PCI address of a GPU, got 'somewhere'"},
    {"XmlBusIdOfTwoLines", xml_log("", "some\nwhere"),
     "log.txt:5: expected the PCI address of a GPU, got 'some where'"},
    {"TooDeep",
     [] {
       std::string lines;
       for (int i = 0; i < 40; ++i) lines += std::string(4 + i, ' ') + "a\n";
       return text_log(lines);
     }(),
     "log.txt:23: expected at most 16 levels"},
};

class RefusedInput : public testing::TestWithParam<Bad> {};

TEST_P(RefusedInput, IsOneLineWithItsPlace) {
  const std::vector<Input> inputs = {{"log.txt", GetParam().text}};
  const auto imported = import_outputs(inputs);
  ASSERT_FALSE(imported) << "taken:\n" << imported->yaml;
  const auto what = sim::text_of(imported.error());
  EXPECT_TRUE(what.starts_with(GetParam().message)) << what;
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
}

INSTANTIATE_TEST_SUITE_P(Inputs, RefusedInput, testing::ValuesIn(kBad),
                         [](const auto& one) { return std::string(one.param.name); });

// A value of a form that nobody knows is left out, so that a newer driver's log gives a machine all the same.
const Bad kLeftOut[] = {
    {"NumberWithoutUnit", text_log("    FB Memory Usage\n        Total                             : 12 bananas"),
     "log.txt:9: left out: 'FB Memory Usage/Total' has a value of another form: '12 bananas'"},
    {"WordOfAnotherLanguage", text_log("    Persistence Mode                      : vielleicht"),
     "log.txt:8: left out: 'Persistence Mode' has a value of another form"},
    {"OutOfRange", text_log("    Utilization\n        GPU                               : 400 %"),
     "log.txt:9: left out: utilization.gpu"},
    {"ClockOfText", text_log("    Supported Clocks\n        Memory                            : fast"),
     "log.txt:9: left out: 'Memory' expected a number, got 'fast'"},
    {"CudaVersion", "Driver Version : 550\nCUDA Version : twelve\nGPU 0000:3B:00.0\n",
     "log.txt:2: left out: expected a CUDA version"},
    {"LinkSpeed", "GPU 0: A (UUID: GPU-1)\n\t Link 0: fast\n\t Link 1: 25 GB/s\n" + text_log(""),
     "log.txt:2: left out: expected a speed such as 25 GB/s, or <inactive>, got 'fast'"},
    {"ProfileOfText", text_log("") + "| GPU instance profiles: |\n|   0  MIG 1g.5gb  19  7/7  many  No  14  0  0 |\n",
     "log.txt:10: left out: expected the line of a GPU instance profile"},
};

class LeftOut : public testing::TestWithParam<Bad> {};

TEST_P(LeftOut, IsTold) {
  const auto imported = import_text(GetParam().text);
  EXPECT_TRUE(machine_of(imported));
  EXPECT_TRUE(std::any_of(imported.notes.begin(), imported.notes.end(), [](const auto& note) {
    return note.starts_with(GetParam().message);
  })) << (imported.notes.empty() ? "" : imported.notes.front());
}

INSTANTIATE_TEST_SUITE_P(Values, LeftOut, testing::ValuesIn(kLeftOut),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace nvmlkit::smi_log
