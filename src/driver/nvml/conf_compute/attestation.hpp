// Attestation data of a GPU: reports in SPDM's format and certificates in PEM. The bytes depend only on the GPU and the
// nonce. They have no valid signature, so that every verifier rejects them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/generated/model.hpp"

namespace nvmlkit::driver::attestation {

// A request for measurements with the nonce, then the answer to it. How many bytes were written.
unsigned int write_report(const sim::model::Gpu& gpu, std::string_view of, std::span<const unsigned char, 32> nonce,
                          std::span<unsigned char> out);

// A chain of certificates, from the GPU's own to the root's.
unsigned int write_certificates(const sim::model::Gpu& gpu, std::string_view of, std::span<unsigned char> out);

// All of `out`, with bytes that follow from the GPU and their purpose.
void write_bytes(const sim::model::Gpu& gpu, std::string_view of, std::span<unsigned char> out);

}  // namespace nvmlkit::driver::attestation
