//! `_statistics`: the one function of `statistics` that is worth computing natively.

use crate::heap::Ref;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::value::Value;
use crate::vm::Vm;

static FUNCTIONS: &[Def] = &[Def::function(
    "_normal_dist_inv_cdf",
    "(p, mu, sigma, /)",
    |vm, args| {
        let (p, mu, sigma) = (
            vm.to_double(&args[0])?,
            vm.to_double(&args[1])?,
            vm.to_double(&args[2])?,
        );
        if !(p > 0.0 && p < 1.0 && sigma > 0.0) {
            return Err(vm.value_error("inv_cdf undefined for these parameters"));
        }
        Ok(Value::float_from_outside(mu + standard_quantile(p) * sigma))
    },
)];

/// Coefficients of a quotient of two polynomials of degree seven, highest power first.
struct Quotient {
    above: [f64; 8],
    below: [f64; 8],
}

impl Quotient {
    /// The value at `x`, times `factor`; multiplied before it is divided, which decides the last bit.
    fn at(&self, x: f64, factor: f64) -> f64 {
        let horner = |c: &[f64; 8]| c.iter().fold(0.0, |sum, c| sum * x + c);
        horner(&self.above) * factor / horner(&self.below)
    }
}

/// The quantile of the standard normal distribution: Wichura's algorithm AS 241 (Applied Statistics 37, 1988), PPND16.
fn standard_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return CENTRE.at(0.180625 - q * q, q);
    }
    let tail = if q <= 0.0 { p } else { 1.0 - p };
    let r = (-tail.ln()).sqrt();
    let x = if r <= 5.0 {
        MIDDLE.at(r - 1.6, 1.0)
    } else {
        FAR.at(r - 5.0, 1.0)
    };
    if q < 0.0 { -x } else { x }
}

const CENTRE: Quotient = Quotient {
    above: [
        2.509_080_928_730_122_7e3,
        3.343_057_558_358_813e4,
        6.726_577_092_700_87e4,
        4.592_195_393_154_987e4,
        1.373_169_376_550_946e4,
        1.971_590_950_306_551_3e3,
        1.331_416_678_917_843_8e2,
        3.387_132_872_796_366_5,
    ],
    below: [
        5.226_495_278_852_854e3,
        2.872_908_573_572_194_3e4,
        3.930_789_580_009_271e4,
        2.121_379_430_158_659_7e4,
        5.394_196_021_424_751e3,
        6.871_870_074_920_579e2,
        4.231_333_070_160_091e1,
        1.0,
    ],
};

const MIDDLE: Quotient = Quotient {
    above: [
        7.745_450_142_783_414e-4,
        2.272_384_498_926_918_4e-2,
        2.417_807_251_774_506e-1,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    below: [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        1.519_866_656_361_645_7e-2,
        1.481_039_764_274_800_8e-1,
        6.897_673_349_851e-1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
};

const FAR: Quotient = Quotient {
    above: [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        1.242_660_947_388_078_4e-3,
        2.653_218_952_657_612_4e-2,
        2.965_605_718_285_048_7e-1,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    below: [
        2.044_263_103_389_939_8e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_7e-5,
        7.868_691_311_456_133e-4,
        1.487_536_129_085_061_5e-2,
        1.369_298_809_227_358e-1,
        5.998_322_065_558_88e-1,
        1.0,
    ],
};

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    Module::native(vm, "_statistics", "", FUNCTIONS)
}
