// The parts of the model, and what every generated descriptor has to keep.
#include <gtest/gtest.h>

#include <set>

#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim::model {
namespace {

TEST(Text, CutsAndCompares) {
  Text<4> text("abcdef");
  EXPECT_EQ(text.view(), "abc");
  text.assign("x");
  EXPECT_EQ(text, std::string_view("x"));
  EXPECT_EQ(text.data[2], '\0');
  std::memset(text.data, 'y', 4);  // a file could hold this
  EXPECT_EQ(text.view().size(), 3u);
}

TEST(Field, PresenceAndDerivation) {
  Field<std::uint32_t> a, b;
  EXPECT_FALSE(a);
  EXPECT_EQ(a.value_or(5), 5u);
  b.derive_from(a);
  EXPECT_FALSE(b);
  a = 7u;
  b.derive_from(a);
  EXPECT_EQ(*b, 7u);
  a = 8u;
  b.derive_from(a);
  EXPECT_EQ(*b, 7u);
  b.reset();
  b.derive_from(a);
  EXPECT_FALSE(b);
}

TEST(List, HoldsItsLimits) {
  List<int, 2> list;
  EXPECT_TRUE(list.push_back(1));
  EXPECT_TRUE(list.push_back(2));
  EXPECT_FALSE(list.push_back(3));
  list.count = 99;  // a file could say this
  EXPECT_EQ(list.span().size(), 2u);
  EXPECT_EQ(list.end() - list.begin(), 2);
}

TEST(Descriptors, MembersLieInOrderInsideTheirStructs) {
  for (const auto& type : all_structs()) {
    std::uint32_t end = 0;
    std::set<std::string_view> names;
    for (const auto& field : type.fields()) {
      EXPECT_FALSE(field.name().empty());
      EXPECT_FALSE(field.doc().empty()) << field.name();
      EXPECT_TRUE(names.insert(field.name()).second) << field.name();
      EXPECT_EQ(type.find(field.name()), &field);
      if (field.reader) continue;
      EXPECT_GE(field.offset, end) << type.name() << "." << field.name();
      const std::uint32_t size =
          field.list ? field.items_offset + field.value_size * field.max_items : field.value_size;
      end = field.offset + std::max(size, field.scalar() ? field.present_offset + 2 : 0);
      if (field.scalar()) {
        EXPECT_GE(field.present_offset, field.value_size);
      }
    }
    EXPECT_LE(end, type.size) << type.name();
  }
}

TEST(Descriptors, TellWhatTheRegistryTells) {
  const auto& type = descriptor<Gpu>();
  EXPECT_EQ(type.size, sizeof(Gpu));
  const auto& power = *type.find("power");
  EXPECT_EQ(power.type, Type::structure);
  EXPECT_EQ(&power.nested(), &descriptor<Power>());
  const auto& limit = *descriptor<Power>().find("limit_mw");
  EXPECT_EQ(limit.unit(), "mW");
  EXPECT_EQ(limit.offset, offsetof(Power, limit_mw));
  const auto& mode = *type.find("compute_mode");
  ASSERT_EQ(mode.words().size(), 4u);
  EXPECT_EQ(mode.words()[3].word(), "exclusive_process");
  EXPECT_EQ(mode.words()[3].value, 3u);
  EXPECT_EQ(descriptor<Gpm>().find("supported")->visibility, Visibility::shown);
}

TEST(Defaults, AreThoseOfTheRegistry) {
  auto gpu = std::make_unique<Gpu>();
  set_defaults(*gpu);
  EXPECT_EQ(gpu->name->view(), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(*gpu->memory.total_bytes, 42949672960u);
  EXPECT_EQ(*gpu->architecture, Architecture::ampere);
  EXPECT_EQ(*gpu->thermal.temperature_gpu_c, 30);
  EXPECT_TRUE(*gpu->monitored);
  EXPECT_FALSE(*gpu->multi_gpu_board);
  EXPECT_TRUE(gpu->multi_gpu_board.present);
  EXPECT_FALSE(gpu->uuid);
  EXPECT_FALSE(gpu->name.stated);
}

}  // namespace
}  // namespace nvmlkit::sim::model
