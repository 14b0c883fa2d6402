#include "driver/nvml/conf_compute/attestation.hpp"

#include <algorithm>
#include <array>

#include "sim/model/identity.hpp"

namespace nvmlkit::driver::attestation {
namespace {

// Writes as far as there is room.
class Writer {
 public:
  explicit Writer(std::span<unsigned char> out) : out_(out) {}

  void byte(unsigned int value) {
    if (size_ < out_.size()) out_[size_++] = static_cast<unsigned char>(value);
  }
  void text(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  void bytes(std::span<const unsigned char> bytes) {
    for (const auto b : bytes) byte(b);
  }
  unsigned int size() const { return static_cast<unsigned int>(size_); }

 private:
  std::span<unsigned char> out_;
  std::size_t size_ = 0;
};

// Bytes that follow from the GPU and from what they are for.
class Stream {
 public:
  Stream(const sim::model::Gpu& gpu, std::string_view purpose)
      : seed_(sim::identity_hash(purpose, sim::identity_hash(gpu.uuid ? gpu.uuid->view() : std::string_view(), 0))) {}

  unsigned char next() {
    if (at_ % 8 == 0) {
      const char count[] = {static_cast<char>(at_ / 8), static_cast<char>(at_ / 2048)};
      word_ = sim::identity_hash(std::string_view(count, sizeof count), seed_);
    }
    return static_cast<unsigned char>(word_ >> (at_++ % 8 * 8));
  }

 private:
  std::uint64_t seed_, word_ = 0;
  std::uint32_t at_ = 0;
};

constexpr unsigned int kSpdm11 = 0x11, kGetMeasurements = 0xE0, kMeasurements = 0x60;
constexpr unsigned int kSignatureWanted = 1, kAllMeasurements = 0xFF;
constexpr unsigned int kBlocks = 64, kDigestBytes = 48, kSignatureBytes = 96;

void write_block(Writer& out, Stream& stream, unsigned int index) {
  constexpr unsigned int kDmtf = 1, kValueBytes = 3 + kDigestBytes;
  for (const auto b : {index, kDmtf, kValueBytes & 0xFF, kValueBytes >> 8, 1U, kDigestBytes & 0xFF, kDigestBytes >> 8})
    out.byte(b);
  for (unsigned int i = 0; i < kDigestBytes; ++i) out.byte(stream.next());
}

void write_base64(Writer& out, Stream& stream, unsigned int lines) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (unsigned int line = 0; line < lines; ++line) {
    for (unsigned int i = 0; i < 64; ++i) out.byte(static_cast<unsigned char>(kDigits[stream.next() % 64]));
    out.byte('\n');
  }
}

}  // namespace

unsigned int write_report(const sim::model::Gpu& gpu, std::string_view of, std::span<const unsigned char, 32> nonce,
                          std::span<unsigned char> out) {
  Writer writer(out);
  Stream stream(gpu, of);
  for (const auto b : {kSpdm11, kGetMeasurements, kSignatureWanted, kAllMeasurements}) writer.byte(b);
  writer.bytes(nonce);
  writer.byte(0);  // slot
  constexpr unsigned int kRecord = kBlocks * (7 + kDigestBytes);
  for (const auto b : {kSpdm11, kMeasurements, 0U, 0U, kBlocks, kRecord & 0xFF, kRecord >> 8 & 0xFF, kRecord >> 16})
    writer.byte(b);
  for (unsigned int i = 1; i <= kBlocks; ++i) write_block(writer, stream, i);
  for (unsigned int i = 0; i < nonce.size(); ++i) writer.byte(stream.next());
  const auto vbios = gpu.vbios_version ? gpu.vbios_version->view() : std::string_view();
  writer.byte(static_cast<unsigned int>(vbios.size()));
  writer.byte(0);
  writer.text(vbios);
  for (unsigned int i = 0; i < kSignatureBytes; ++i) writer.byte(stream.next());
  return writer.size();
}

unsigned int write_certificates(const sim::model::Gpu& gpu, std::string_view of, std::span<unsigned char> out) {
  Writer writer(out);
  for (const std::string_view owner : {"gpu", "model", "root"}) {
    std::array<char, 64> purpose{};
    const auto size = of.copy(purpose.data(), 32);
    const auto more = owner.copy(purpose.data() + size, 16);
    Stream stream(gpu, {purpose.data(), size + more});
    writer.text("-----BEGIN CERTIFICATE-----\n");
    write_base64(writer, stream, 15);
    writer.text("-----END CERTIFICATE-----\n");
  }
  return writer.size();
}

void write_bytes(const sim::model::Gpu& gpu, std::string_view of, std::span<unsigned char> out) {
  Stream stream(gpu, of);
  for (auto& byte : out) byte = stream.next();
}

}  // namespace nvmlkit::driver::attestation
