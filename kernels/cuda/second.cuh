// The second table of a cloud: partials on their way to it, or multiplied with it. Twin of
// engine/src/spectrum/second.rs.
#pragma once

#include "math.cuh"

namespace second {

DEVICE bool tracks(const Cloud& cloud) { return (cloud.second.table & SECOND_TRACKS) != 0; }
DEVICE bool morphs(const Cloud& cloud) { return cloud.second.share > 0; }

// How far partials are on the way there, or the power by which they are multiplied.
DEVICE float part(const Cloud& cloud) { return fabsf(math::of_fraction(cloud.second.share)); }

// Ratios and their logarithms on their way from the first table's. Equal ones stay as they are.
DEVICE float between(float part, float first, float second) {
    return __fadd_rn(first, __fmul_rn(__fsub_rn(second, first), part));
}

// A level on its way, or multiplied.
DEVICE float level(const Cloud& cloud, float part, float first, float second) {
    if (morphs(cloud)) return fmaf(second - first, part, first);
    return first * math::exp2(math::log2_exact(second) * part);
}

}  // namespace second
