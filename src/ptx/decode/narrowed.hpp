// Loads of vectors of which a program uses a part.
#pragma once

namespace nvmlkit::ptx {

struct Body;

// Loads only that half, or that one element, of a vector that something reads, as ptxas does. Its address then needs
// the alignment of this part: CUB loads vectors of four at multiples of two, and leaves two elements unread. ptxas also
// splits {0, 2}, {0, 3}, {1, 2} and {1, 3} of four in two loads; those stay as they are here. A volatile vector is
// loaded whole.
void narrow_loads(Body& body);

}  // namespace nvmlkit::ptx
