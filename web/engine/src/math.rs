//! Elementary functions of single precision, by double precision.
//!
//! The ones that Rust links for WebAssembly are off by up to a unit in the last place. A pitch that is off by one
//! drifts: half a second later a high partial is audibly elsewhere in its turn than in native code, whose
//! libraries round nearly all results correctly, as these do. Other functions are the same in both: `expm1f` has the
//! same algorithm in glibc.

macro_rules! by_double_precision {
    ($($symbol:ident: $($argument:ident),+ => $function:ident;)*) => {$(
        /// Takes the place of the function of this name that would be linked.
        #[unsafe(no_mangle)]
        extern "C" fn $symbol($($argument: f32),+) -> f32 {
            f64::$function($(f64::from($argument)),+) as f32
        }
    )*};
}

by_double_precision! {
    exp2f: x => exp2;
    expf: x => exp;
    logf: x => ln;
    log2f: x => log2;
    powf: x, y => powf;
    sinf: x => sin;
    cosf: x => cos;
}
