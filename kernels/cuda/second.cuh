// The second table of a cloud: partials interpolated towards it, or multiplied with it. Mirrors
// engine/src/spectrum/second.rs.
#pragma once

#include "math.cuh"

namespace second {

DEVICE bool tracks(const Cloud& cloud) { return (cloud.second.table & SECOND_TRACKS) != 0; }
DEVICE bool morphs(const Cloud& cloud) { return cloud.second.share > 0; }

// The position between the tables, or the power of the factor.
DEVICE float part(const Cloud& cloud) { return fabsf(math::of_fraction(cloud.second.share)); }

// Ratios and their logarithms, interpolated from the first table's. Equal ones stay exactly equal.
DEVICE float between(float part, float first, float second) {
    return __fadd_rn(first, __fmul_rn(__fsub_rn(second, first), part));
}

// A level, interpolated or multiplied.
DEVICE float level(const Cloud& cloud, float part, float first, float second) {
    if (morphs(cloud)) return fmaf(second - first, part, first);
    return first * math::exp2(math::log2_exact(second) * part);
}

}  // namespace second
