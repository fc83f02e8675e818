//! AVX-512 with vectors of 256 bits for one ray.
//!
//! Many CPUs have three ports for vectors of 256 bits, and use two of them together for 512 bits. A
//! single ray needs vectors of both widths, and is faster with 256 bits alone. Unlike AVX2, it has
//! the masks of AVX-512 to sort with.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2::{Avx2F32x8, Avx2F64x4, zero};
use super::avx512::{Avx512, Avx512F32x16, HasAvx512, outlined};
use super::child_sort::{CHILDREN, Sorted};
use super::isa::Row;
use super::sort_network::{write_sorted, write8};
use super::sse2::{HasAvx2, Sse2F32x4, X86};
use super::vector::{inlined, intrinsics};
use super::{Isa, Task};

/// Proof of the same features as [`Avx512`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Avx512Half(pub(super) Avx512);

impl Avx512Half {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Avx512::detect().map(Self)
    }
}

impl From<Avx512Half> for Avx512 {
    #[inline(always)]
    fn from(half: Avx512Half) -> Self {
        half.0
    }
}

// SAFETY: the token within comes from `Avx512::detect`, which finds AVX and FMA.
unsafe impl X86 for Avx512Half {
    const FUSES: bool = true;
}
// SAFETY: an `Avx512` is only made where AVX2 was found.
unsafe impl HasAvx2 for Avx512Half {}
// SAFETY: it wraps the token of AVX-512 itself.
unsafe impl HasAvx512 for Avx512Half {}

impl Isa for Avx512Half {
    type Wide = Avx512F32x16<Self>;
    type Node = Avx2F32x8<Self>;
    type Leaf = Avx2F32x8<Self>;
    type Blocks = Avx512F32x16<Self>;
    type Point = Sse2F32x4<Self>;
    type F64x4 = Avx2F64x4<Self>;

    const BRANCH_FREE: bool = true;

    intrinsics! {
        fn call_outlined[T: Task](self, task: T) -> T::Output { outlined(self, task) }

        fn sort_children(
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            to: &mut Sorted,
        ) {
            let (first, second) = halves(self, bytemuck::cast_ref(enter));
            let (child, other_child) = halves(self, child);
            // The last bits of a key are the lane of the child.
            let key = |enter: __m256i, lanes: __m256i| {
                _mm256_ternarylogic_epi32::<0xd8>(enter, lanes, _mm256_set1_epi32(15))
            };
            let first = key(first, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let second = key(second, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
            let key = chosen(self, first, second, mask);
            let pick = |key: __m256i| _mm256_permutex2var_epi32(child, key, other_child);
            write_sorted(self.0, key, mask.count_ones(), pick, to);
        }
    }

    inlined! {
        fn list_children(self, child: &[u32; CHILDREN], mask: u32, to: &mut Sorted) {
            let (first, second) = halves(self, child);
            write8(self.0, zero(self), chosen(self, first, second, mask), to);
        }

        fn put_off[const ORDERED: bool](
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            keys: &mut [MaybeUninit<u32>; CHILDREN],
            children: &mut [MaybeUninit<u32>; CHILDREN],
        ) {
            self.0.put_off::<ORDERED>(enter, child, mask, keys, children);
        }

        fn select_columns[const ROWS: usize](
            self,
            number: u32,
            table: &[Row; ROWS],
            columns: &Row,
            to: &mut [Row; ROWS],
        ) -> u32 {
            self.0.select_columns(number, table, columns, to)
        }
    }

    #[inline(always)]
    unsafe fn keep(self, keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        // SAFETY: `Avx512::keep` has the same conditions as this method.
        unsafe { self.0.keep(keys, children, count, most) }
    }
}

intrinsics! {
    /// Sixteen numbers in two vectors.
    fn halves(_isa: Avx512Half, numbers: &[u32; CHILDREN]) -> (__m256i, __m256i) {
        let from: *const __m256i = numbers.as_ptr().cast();
        (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)))
    }

    /// Of sixteen numbers the first eight whose bits are set.
    fn chosen(_isa: Avx512Half, first: __m256i, second: __m256i, mask: u32) -> __m256i {
        let first = _mm256_maskz_compress_epi32(mask as u8, first);
        let second = _mm256_maskz_compress_epi32((mask >> 8) as u8, second);
        // The numbers of the second half behind the numbers of the first.
        let behind = 0xff << (mask & 0xff).count_ones();
        _mm256_mask_expand_epi32(first, behind as u8, second)
    }
}
