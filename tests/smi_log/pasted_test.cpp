// An output comes through mails, web pages, shells and journals, and gives the same machine.
#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

std::string each_line(const std::string& text, const std::string& front, const std::string& end) {
  std::string out = front;
  for (const char c : text) out += c == '\n' ? end + "\n" + front : std::string(1, c);
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string utf16(const std::string& text) {
  std::string out = "\xFF\xFE";
  for (const char c : text) out += c, out += '\0';
  return out;
}

struct Form {
  const char* name;
  std::string text;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

std::string log() {
  return text_log(
      "    Product Name                          : Tesla T4\n    FB Memory Usage\n"
      "        Total                             : 15360 MiB\n"
      "        Used                              : 1005 MiB\n");
}
std::string xml() {
  return xml_log(
      "<product_name>Tesla T4</product_name>\n<fb_memory_usage><used>1005 MiB</used></fb_memory_usage>\n"
      "<processes></processes>");
}

const Form kForms[] = {
    {"AsPrinted", log()},
    {"WindowsLineEnds", each_line(log(), "", "\r")},
    {"ByteOrderMark", "\xEF\xBB\xBF" + log()},
    {"Utf16", utf16(log())},
    {"MarkdownFence", "It is slow.\n```\n" + log() + "```\nBye\n"},
    {"Answered", each_line(log(), "> ", "")},
    {"Journal", each_line(log(), "Nov 21 10:00:07 host smi[123]: ", "")},
    {"Indented", each_line(log(), "\t", "")},
    {"SpaceAtTheEnd", each_line(log(), "", "  \t")},
    {"HardSpaces", replaced(log(), "  ", "\xC2\xA0 ")},
    {"TabsForSpaces", replaced(log(), "        ", "\t")},
    {"BlankLines", each_line(log(), "", "\n")},
    {"NoSpaceBeforeTheColon", replaced(replaced(log(), "  : ", ": "), " : ", " : ")},
    {"Xml", xml()},
    {"XmlWithoutEnd", xml().substr(0, xml().find("</processes>"))},
    {"EscapedXml", replaced(replaced(xml(), "<", "&lt;"), ">", "&gt;")},
};

class Pasted : public testing::TestWithParam<Form> {};

TEST_P(Pasted, GivesTheMachine) {
  const auto machine = machine_of(GetParam().text);
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus().size(), 1u);
  EXPECT_EQ(machine->gpus()[0].name->view(), "Tesla T4");
  EXPECT_EQ(*machine->gpus()[0].memory.used_bytes, 1005u << 20);
}

INSTANTIATE_TEST_SUITE_P(Forms, Pasted, testing::ValuesIn(kForms),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Pasted, NamesKeepTheirLetters) {
  const auto machine =
      machine_of(text_log("    Processes\n        Process ID : 7\n            Name : /opt/\xC3\xBC\"\\x"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus()[0].processes.items[0].name->view(), "/opt/\xC3\xBC\"\\x");
}

}  // namespace
}  // namespace nvmlkit::smi_log
