//! Repeatable draws.

/// The n-th draw of a seed, evenly spread over [0, 1): `SplitMix64` (Steele, Lea, Flood 2014).
///
/// A draw depends on the seed and its number alone, so the same calls meet the same faults
/// whatever the timing.
pub(crate) fn draw(seed: u64, number: u64) -> f64 {
    let mut state = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^= state >> 31;
    // The upper 53 bits are what an f64 can hold without rounding.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
    let fraction = (state >> 11) as f64;
    fraction / 9_007_199_254_740_992.0
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn draws_repeat_and_spread() {
        let hits = |seed| (0..10_000).filter(|number| draw(seed, *number) < 0.3).count();
        assert_eq!(draw(7, 3).to_bits(), draw(7, 3).to_bits());
        assert_ne!(draw(7, 3).to_bits(), draw(8, 3).to_bits());
        for seed in 0..20 {
            assert!((2_800..3_200).contains(&hits(seed)), "{} of 10000", hits(seed));
        }
    }
}
