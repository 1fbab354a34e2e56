//! `_random`: the generator that `random.Random` builds on.
//!
//! A generator that is to be seeded from entropy is seeded when its first number is drawn: the one that `random` keeps for its functions
//! is made when the image is, where there is no entropy, and must be another in every sandbox.

use crate::class_slot;
use crate::heap::{self, Payload, Ref, VmCell};
use crate::objects::float_arith::number;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::slots::Slots;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::{R, Vm};
use coldframe_numeric::mersenne::MersenneTwister;
use coldframe_numeric::{BigInt, Sign};
use num_traits::ToPrimitive;

/// Words of state of the generator.
const WORDS: usize = 624;

/// Payload of `_random.Random`.
struct Random {
    /// `None`: to be seeded from entropy.
    generator: VmCell<Option<Box<MersenneTwister>>>,
}

// SAFETY: owns no values.
unsafe impl Payload for Random {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const RANDOM: Slots = Slots {
    new: Some(new),
    init: Some(init),
    ..Slots::NONE
};

static METHODS: &[Def] = &[
    Def::method("random", "(self, /)", |vm, args| {
        let g = generator(vm, &args[0])?;
        Ok(number(ready(vm, &g)?.random()))
    }),
    Def::method("seed", "(self, n=None, /)", |vm, args| {
        let g = generator(vm, &args[0])?;
        seed(vm, &g, optional(args, 1))?;
        Ok(Value::NONE)
    }),
    Def::method("getstate", "(self, /)", get_state),
    Def::method("setstate", "(self, state, /)", set_state),
    Def::method("getrandbits", "(self, k, /)", get_bits),
];

/// The module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let m = Module::native(
        vm,
        "_random",
        "Module implements the Mersenne Twister random number generator.",
        &[],
    );
    if !Random::class_slot().with(|slot| slot.is_set()) {
        ClassBuilder::new::<Random>("Random")
            .flags(BASE)
            .slots(RANDOM)
            .module(vm, "_random")
            .methods(vm, METHODS)
            .build(vm);
    }
    m.set(vm, "Random", Random::class().to_value());
    m
}

fn generator(vm: &mut Vm, v: &Value) -> R<Ref<Random>> {
    match v.as_ref::<Random>() {
        Some(g) => Ok(g.clone()),
        None => Err(vm.type_error("expected a Random object")),
    }
}

/// `Random.__new__` takes anything; `__init__` seeds.
fn new(_: &mut Vm, class: &Ref<Type>, _: Args) -> R {
    let generator = VmCell::new(None);
    Ok(Value::from_ref(heap::alloc_instance(
        Random { generator },
        class,
        0,
    )))
}

fn init(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    args.no_keywords(vm, "Random")?;
    let g = generator(vm, v)?;
    match args.positional() {
        [] => seed(vm, &g, None),
        [n] => seed(vm, &g, Some(n)),
        _ => Err(vm.type_error("Random() requires 0 or 1 argument")),
    }
}

fn seed(vm: &mut Vm, g: &Ref<Random>, n: Option<&Value>) -> R<()> {
    let Some(n) = n.filter(|n| !n.is_none()) else {
        *g.generator.get_mut(vm) = None;
        return Ok(());
    };
    let fresh = match n.as_int() {
        Some(i) => MersenneTwister::from_int(&i.as_big()),
        // Anything else counts by its hash, taken as unsigned.
        None => MersenneTwister::from_int(&BigInt::from(vm.hash(n)? as u64)),
    };
    put(vm, g, fresh)
}

/// Gives a generator its state.
fn put(vm: &mut Vm, g: &Ref<Random>, state: MersenneTwister) -> R<()> {
    if let Some(place) = g.generator.get_mut(vm) {
        **place = state;
        return Ok(());
    }
    if !heap::can_allocate(size_of::<MersenneTwister>()) {
        return Err(vm.memory_error());
    }
    *g.generator.get_mut(vm) = Some(Box::new(state));
    Ok(())
}

/// The generator, seeded.
fn ready<'v>(vm: &'v mut Vm, g: &'v Ref<Random>) -> R<&'v mut MersenneTwister> {
    if g.generator.get(vm).is_none() {
        let fresh = from_entropy(vm);
        put(vm, g, fresh)?;
    }
    match g.generator.get_mut(vm) {
        Some(generator) => Ok(generator),
        None => unreachable!("it was seeded above"),
    }
}

fn from_entropy(vm: &mut Vm) -> MersenneTwister {
    let bytes = vm.host.entropy(WORDS * 4);
    let key: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|w| w.iter().rev().fold(0, |word, &b| word << 8 | u32::from(b)))
        .collect();
    MersenneTwister::from_key(&key)
}

fn get_state(vm: &mut Vm, args: &[Value]) -> R {
    let g = generator(vm, &args[0])?;
    let (words, index) = ready(vm, &g)?.state();
    let mut items: Vec<Value> = words.iter().map(|&w| Value::int(w.into())).collect();
    items.push(Value::int(index.into()));
    Ok(Tuple::value(items))
}

fn set_state(vm: &mut Vm, args: &[Value]) -> R {
    let g = generator(vm, &args[0])?;
    let Some(state) = args[1].as_ref::<Tuple>().cloned() else {
        return Err(vm.type_error("state vector must be a tuple"));
    };
    if state.len() != WORDS + 1 {
        return Err(vm.value_error("state vector is the wrong size"));
    }
    let mut words = Vec::with_capacity(WORDS);
    for item in &state[..WORDS] {
        let Some(i) = item.as_int() else {
            return Err(vm.type_error("an integer is required"));
        };
        match i.to_i64().and_then(|i| u32::try_from(i).ok()) {
            Some(w) => words.push(w),
            None if i.is_negative() => {
                return Err(vm.overflow_error("can't convert negative value to unsigned int"));
            }
            None => {
                return Err(vm.overflow_error("Python int too large to convert to C unsigned long"));
            }
        }
    }
    let index = vm.index_i64(&state[WORDS])?;
    let Ok(index) = u32::try_from(index) else {
        return Err(vm.value_error("invalid state"));
    };
    let restored = MersenneTwister::from_state(&words, index);
    let restored = vm.numeric(restored)?;
    put(vm, &g, restored)?;
    Ok(Value::NONE)
}

fn get_bits(vm: &mut Vm, args: &[Value]) -> R {
    let g = generator(vm, &args[0])?;
    let k = match args[1].as_small_int() {
        Some(k) => k,
        None => {
            let k = vm.index_big(&args[1])?;
            match k.to_i64() {
                Some(k) => k,
                None if k.sign() == Sign::Minus => -1,
                None => return Err(vm.overflow_error("Python int too large to convert to C int")),
            }
        }
    };
    match k {
        ..0 => Err(vm.value_error("number of bits must be non-negative")),
        0..=49 => Ok(Value::small_int(ready(vm, &g)?.bits_u64(k as u32) as i64)),
        _ => {
            vm.check_int_bits(k as u64)?;
            Ok(Value::bigint(ready(vm, &g)?.bits(k as u64)))
        }
    }
}
