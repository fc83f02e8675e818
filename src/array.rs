//! `array::map` and `array::each_ref` that always become part of their caller.
//!
//! The functions of the standard library may stay calls in a build without link-time optimization.
//! A function that is called knows nothing of its caller's instruction set, so vectors that it
//! takes or returns travel through memory. Code that answers queries uses these instead.

/// Arrays of a length that kernels need.
pub(crate) trait Each: Sized {
    type Item;
    /// An array of this length.
    type Of<R>;

    /// What `of` makes of each element, in order.
    fn each<R>(self, of: impl FnMut(Self::Item) -> R) -> Self::Of<R>;

    /// A reference to each element.
    fn refs(&self) -> Self::Of<&Self::Item>;
}

macro_rules! lengths {
    ($($length:literal: $($element:ident)*;)*) => {$(
        impl<T> Each for [T; $length] {
            type Item = T;
            type Of<R> = [R; $length];

            #[inline(always)]
            fn each<R>(self, mut of: impl FnMut(T) -> R) -> [R; $length] {
                let [$($element),*] = self;
                [$(of($element)),*]
            }

            #[inline(always)]
            fn refs(&self) -> [&T; $length] {
                let [$($element),*] = self;
                [$($element),*]
            }
        }
    )*};
}
lengths! {
    2: a b;
    3: a b c;
    4: a b c d;
    5: a b c d e;
    6: a b c d e f;
    8: a b c d e f g h;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_order() {
        let mut seen = Vec::new();
        let doubled = [1, 2, 3, 4].each(|x| {
            seen.push(x);
            2 * x
        });
        assert_eq!((doubled, seen), ([2, 4, 6, 8], vec![1, 2, 3, 4]));
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].refs().each(|x| x + 1), [2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
