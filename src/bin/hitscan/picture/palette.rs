//! A palette whose steps look equally large, also in grey and to the colour-blind: "viridis" by
//! Nathaniel Smith and Stéfan van der Walt (CC0).

use super::colour::{Rgb, mixed};

/// Ten colours at equal distances. Between them colours are mixed, which differs from the whole
/// table by less than an eye sees.
const VIRIDIS: [Rgb; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// The colour of a value between 0 and 1; values beyond have the colours of the ends.
pub(crate) fn viridis(value: f64) -> Rgb {
    let place = step(value);
    let last = VIRIDIS.len() - 1;
    let i = (place / 256) as usize;
    mixed(VIRIDIS[i], VIRIDIS[(i + 1).min(last)], place % 256)
}

/// A grey for a value between 0 and 1, from light to dark. The palette has none of them.
pub(crate) fn greys(value: f64) -> Rgb {
    mixed([232; 3], [64; 3], step(value) / (VIRIDIS.len() as u32 - 1))
}

/// The value in 256ths of the distance between two colours of the table.
fn step(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * 256.0 * (VIRIDIS.len() - 1) as f64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gets_brighter_all_the_way() {
        let brightness = |c: Rgb| 3 * u32::from(c[0]) + 6 * u32::from(c[1]) + u32::from(c[2]);
        let colours: Vec<_> = (0..=100).map(|i| viridis(f64::from(i) / 100.0)).collect();
        assert!(colours.windows(2).all(|pair| brightness(pair[0]) <= brightness(pair[1]) + 2));
        assert_eq!((colours[0], colours[100]), (VIRIDIS[0], VIRIDIS[9]));
        assert_eq!(
            (viridis(-1.0), viridis(2.0), viridis(f64::NAN)),
            (VIRIDIS[0], VIRIDIS[9], VIRIDIS[0])
        );
        // No grey is near a colour of the palette.
        for grey in (0..=100).map(|i| greys(f64::from(i) / 100.0)) {
            let differs = |c: &Rgb| (0..3).map(|k| c[k].abs_diff(grey[k])).max() > Some(20);
            assert!(colours.iter().all(differs));
        }
    }
}
