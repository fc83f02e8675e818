//! Colours of pixels.

/// Red, green and blue as they are in the file.
pub(crate) type Rgb = [u8; 3];

/// Where a picture's ray hits nothing. No palette has it.
pub(crate) const BACKGROUND: Rgb = [203, 216, 230];

pub(crate) const WHITE: Rgb = [255, 255, 255];

/// The byte for an intensity of light from 0 to 1. The square root is a gamma of 2, and the same on
/// every machine, which a power is not.
pub(crate) fn byte(light: f64) -> u8 {
    (255.0 * light.clamp(0.0, 1.0).sqrt() + 0.5) as u8
}

pub(crate) fn grey(light: f64) -> Rgb {
    [byte(light); 3]
}

/// The colour in this light: 1 leaves it as it is.
pub(crate) fn lit(colour: Rgb, light: f64) -> Rgb {
    let factor = light.clamp(0.0, 1.0).sqrt();
    colour.map(|part| (f64::from(part) * factor + 0.5) as u8)
}

/// `part` 256ths of `over`, the rest of `under`.
pub(crate) fn mixed(under: Rgb, over: Rgb, part: u32) -> Rgb {
    let mix = |k: usize| {
        let (under, over) = (u32::from(under[k]), u32::from(over[k]));
        ((under * (256 - part) + over * part + 128) / 256) as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// The colour of a number: numbers that follow each other are far apart on the circle of hues, by
/// the golden ratio, and in one of three brightnesses.
pub(crate) fn of_number(number: u32) -> Rgb {
    const FULL: u32 = 6 * 256;
    let turn = number.wrapping_mul(0x9e37_79b9);
    let hue = ((u64::from(turn) * u64::from(FULL)) >> 32) as u32;
    let (least, most) = [(40, 235), (110, 250), (25, 165)][(number % 3) as usize];
    let part = |offset: u32| {
        // 0 to 256 and back: how near the hue is to this primary colour.
        let from = (hue + offset) % FULL;
        let distance = from.min(FULL - from);
        let nearness = 512u32.saturating_sub(distance).min(256);
        (least + (most - least) * nearness / 256) as u8
    };
    [part(0), part(FULL / 3 * 2), part(FULL / 3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_each_other_have_colours_far_apart() {
        let difference =
            |a: Rgb, b: Rgb| -> u32 { (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).sum() };
        for first in [0, 1000, u32::MAX - 20] {
            for i in 0..16u32 {
                for j in 0..i {
                    let [a, b] = [i, j].map(|k| of_number(first.wrapping_add(k)));
                    assert!(difference(a, b) > 40, "{first} {i} {j}: {a:?} {b:?}");
                }
                assert!(difference(of_number(i), BACKGROUND) > 60, "{i}");
            }
        }
        assert_eq!(of_number(0), [235, 40, 40]);
    }

    #[test]
    fn light_runs_from_black_to_the_colour() {
        assert_eq!([0.0, 0.25, 1.0, 9.0].map(byte), [0, 128, 255, 255]);
        assert_eq!((lit(BACKGROUND, 1.0), lit(BACKGROUND, -1.0)), (BACKGROUND, [0; 3]));
        assert_eq!(mixed([0, 10, 255], [255, 10, 0], 0), [0, 10, 255]);
        assert_eq!(mixed([0, 10, 255], [255, 10, 0], 256), [255, 10, 0]);
    }
}
