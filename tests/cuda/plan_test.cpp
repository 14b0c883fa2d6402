// Plans of pieces on disk, and objects that are none.
#include "ptx/compile/plan.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "ptx/compile/linked.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::ptx {
namespace {

std::string name(char digit) { return std::string(64, digit); }

PlannedPiece piece(std::uint32_t at, std::uint32_t idle, char digit) {
  return {at, CodeFor::some_lanes, 3, idle, name(digit), Planned::piece};
}
PlannedPiece mark(std::uint32_t at, Planned kind) { return {at, CodeFor::all_lanes, 0, 0, {}, kind}; }
PlannedPiece visited(std::uint32_t at, std::uint32_t visits) {
  return {at, CodeFor::some_lanes, 0, 1, {}, Planned::visited, visits};
}

struct Text : testing::Test {
  Function function;
  const Plan plan{piece(2, 0, 'a'), piece(0, 1, 'b'), mark(2, Planned::no_more), mark(3, Planned::none),
                  visited(1, 2500)};
  const std::string key = "plan-" + name('c');

  Text() { function.code.resize(4); }
};

TEST_F(Text, IsReadAsItWasWritten) { EXPECT_EQ(plan_of(text_of(plan, key), key, function), plan); }

TEST_F(Text, OfAnotherFunctionIsNone) {
  EXPECT_EQ(plan_of(text_of(plan, "plan-" + name('d')), key, function), std::nullopt);
}

TEST_F(Text, WithOtherContentIsNone) {
  const auto text = text_of(plan, key);
  function.code.resize(2);
  EXPECT_EQ(plan_of(text, key, function), std::nullopt);  // an instruction that is not there
  function.code.resize(4);
  const auto line = "2 1 3 0 " + name('a') + "\n", title = text.substr(0, text.find('\n') + 1);
  ASSERT_TRUE(plan_of(title + line, key, function));
  for (const auto& wrong :
       {"-2 1 3 0 " + name('a') + "\n", "2 2 3 0 " + name('a') + "\n", "2 1 99 0 " + name('a') + "\n",
        "2 1 3 0 " + name('a'), "2 1 3 0 " + name('/') + "\n", "2 1 3 0 " + name('a') + " 1\n", std::string("\n"),
        "2 1 3 " + name('a') + "\n", "99999999999 1 3 0 " + name('a') + "\n"})
    EXPECT_EQ(plan_of(title + wrong, key, function), std::nullopt) << wrong;
  std::string many = title;
  for (std::size_t k = 0; k <= kMostPlanned; ++k) many += line;
  EXPECT_EQ(plan_of(many, key, function), std::nullopt);
}

TEST(Merged, HasWhatOthersAddedAndNotWhatIsKnown) {
  const Plan own{piece(1, 0, 'a')}, others{piece(1, 0, 'a'), piece(1, 0, 'b'), piece(2, 0, 'c')};
  EXPECT_EQ(merged(own, others, {name('a'), name('b')}), (Plan{piece(1, 0, 'a'), piece(2, 0, 'c')}));
}

TEST(Merged, HasOnlyOwnMarks) {
  const Plan own{piece(1, 0, 'a'), mark(1, Planned::no_more)}, others{piece(2, 0, 'b'), mark(2, Planned::none)};
  EXPECT_EQ(merged(own, others, {}), (Plan{piece(1, 0, 'a'), mark(1, Planned::no_more), piece(2, 0, 'b')}));
}

TEST(Merged, LeavesOutWhatNoWarpFitsForLong) {
  EXPECT_EQ(merged({piece(1, kMostIdle, 'a'), piece(1, kMostIdle - 1, 'b')}, {}, {}),
            (Plan{piece(1, kMostIdle - 1, 'b')}));
}

TEST(Merged, HasAnEndAndPrefersWhatIsUsed) {
  Plan own;
  for (std::size_t k = 0; k < kMostPlannedAt; ++k) own.push_back(piece(1, 1, 'a'));
  own.push_back(piece(1, 0, 'b'));
  const auto of_one = merged(own, {}, {});
  EXPECT_EQ(of_one.size(), kMostPlannedAt);
  EXPECT_EQ(of_one.front(), piece(1, 0, 'b'));
  for (std::uint32_t k = 0; k < 2 * kMostPlanned; ++k) own.push_back(piece(k, 0, 'c'));
  EXPECT_EQ(merged(own, {}, {}).size(), kMostPlanned);
}

// Nothing of it is executed.
TEST(LinkedCode, IsNoneOfWhatIsNoObject) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = ET_REL;
  header.e_machine = kHostMachine;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shoff = sizeof header;
  std::array<Elf64_Shdr, 3> sections{};
  const auto object = [&] {
    std::string out(reinterpret_cast<const char*>(&header), sizeof header);
    return out.append(reinterpret_cast<const char*>(sections.data()), sizeof sections) + std::string(64, '\xC3');
  };
  const auto codes = [](const std::string& bytes) {
    const std::array<std::optional<std::string>, 2> objects{std::nullopt, bytes};
    const auto linked = LinkedCode::of(objects);
    return linked && linked->codes()[1] != nullptr;
  };
  EXPECT_FALSE(codes(""));
  EXPECT_FALSE(codes("no object"));
  EXPECT_FALSE(codes(object()));  // nothing that is loaded
  sections[1] = {.sh_name = 0,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_addr = 0,
                 .sh_offset = sizeof header + sizeof sections,
                 .sh_size = 64,
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 16,
                 .sh_entsize = 0};
  EXPECT_FALSE(codes(object()));  // no function in it
  const Elf64_Sym symbol{0, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, 64};
  auto with_symbol = object();
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_offset = with_symbol.size();
  sections[2].sh_size = sizeof symbol;
  const auto whole = [&] { return object().append(reinterpret_cast<const char*>(&symbol), sizeof symbol); };
  EXPECT_TRUE(codes(whole()));
  header.e_machine = kHostMachine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  EXPECT_FALSE(codes(whole()));
  header.e_machine = kHostMachine;
  for (std::size_t size = 0; size < whole().size(); ++size) EXPECT_FALSE(codes(whole().substr(0, size))) << size;
  sections[1].sh_size = std::uint64_t{1} << 63;
  EXPECT_FALSE(codes(whole()));
  sections[1].sh_size = 64;
  sections[1].sh_offset = ~std::uint64_t{0};
  EXPECT_FALSE(codes(whole()));
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_addralign = 3;
  EXPECT_FALSE(codes(whole()));
}

}  // namespace
}  // namespace nvmlkit::ptx
