//! Temporaries: a stack of registers above the named locals.

/// The allocator of a code unit.
pub(crate) struct Registers {
    /// The first temporary.
    pub locals: u16,
    next: u32,
    max: u32,
    /// The highest register in use since [`Registers::watch`].
    watermark: u32,
}

impl Registers {
    pub fn new(locals: u16) -> Registers {
        let next = u32::from(locals);
        Registers {
            locals,
            next,
            max: next,
            watermark: next,
        }
    }

    /// Whether `register` is a temporary.
    pub fn is_temp(&self, register: u16) -> bool {
        register >= self.locals
    }

    /// The next temporary; more than there are is noticed at the end ([`Registers::count`]).
    pub fn alloc(&mut self) -> u16 {
        self.block(1)
    }

    /// `count` temporaries in a row.
    pub fn block(&mut self, count: u16) -> u16 {
        let first = self.next;
        self.next += u32::from(count);
        self.max = self.max.max(self.next);
        self.watermark = self.watermark.max(self.next);
        first.min(u32::from(u16::MAX)) as u16
    }

    /// The register that [`Registers::alloc`] would give.
    pub fn mark(&self) -> u16 {
        self.next.min(u32::from(u16::MAX)) as u16
    }

    /// Frees all temporaries from `mark` on.
    pub fn reset(&mut self, mark: u16) {
        self.next = u32::from(mark).max(u32::from(self.locals));
    }

    /// Starts to record how high the stack gets; gives the former record for [`Registers::unwatch`].
    pub fn watch(&mut self) -> u32 {
        std::mem::replace(&mut self.watermark, self.next)
    }

    /// The highest register (exclusive) used since [`Registers::watch`].
    pub fn unwatch(&mut self, before: u32) -> u16 {
        let seen = self.watermark;
        self.watermark = before.max(seen);
        seen.min(u32::from(u16::MAX)) as u16
    }

    /// Registers of the frame, or `None` when there are too many.
    pub fn count(&self) -> Option<u16> {
        u16::try_from(self.max).ok()
    }
}
