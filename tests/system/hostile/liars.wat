;; Guests that break the contract of wit/sandbox.wit. How they are read is told in tests/build.rs.
;;
;; A result lies in memory, and its layout changes as the contract grows. So most lies fill it with one word that means something wherever it stands:
;; 0 is success without a value, 1 is a failure with texts of one byte at address 1, and so on.

;; guest never-returns
(func (export "run") (type $run) (loop $l (br $l)) unreachable)
(func (export "set-variable") (type $set-variable) (loop $l (br $l)) unreachable)
(func (export "get-variable") (type $get-variable) (loop $l (br $l)) unreachable)
(func (export "list-imports") (type $list-imports) (loop $l (br $l)) unreachable)
(func (export "read-file") (type $read-file) (loop $l (br $l)) unreachable)
(func (export "write-file") (type $write-file) (loop $l (br $l)) unreachable)
(func (export "list-files") (type $list-files) (loop $l (br $l)) unreachable)
(func (export "make-directory") (type $make-directory) (loop $l (br $l)) unreachable)
(func (export "memory-view") (type $memory-view) (loop $l (br $l)) unreachable)
(func (export "restore-begin") (type $restore-begin) (loop $l (br $l)) unreachable)

;; guest traps
(func (export "run") (type $run) unreachable)

;; guest divides-by-zero
(func (export "run") (type $run) (i32.div_u (i32.const 1) (i32.const 0)))

;; guest reads-outside
(func (export "run") (type $run) (i32.load (i32.const -4)))

;; guest calls-nothing
(table 1 funcref)
(func (export "run") (type $run) (call_indirect (result i32) (i32.const 0)))

;; guest calls-outside
(table 1 funcref)
(func (export "run") (type $run) (call_indirect (result i32) (i32.const 1000)))

;; guest recurses
(func $deep (param i32) (result i32) (i32.add (local.get 0) (call $deep (i32.add (local.get 0) (i32.const 1)))))
(func (export "run") (type $run) (call $deep (i32.const 0)))

;; guest grows-and-loops
(func (export "run") (type $run) (loop $l (drop (memory.grow (i32.const 16))) (br $l)) unreachable)

;; guest grows-and-traps
(func (export "run") (type $run) (loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable)

;; guest grows-at-once
(func (export "run") (type $run) (drop (memory.grow (i32.const 65000))) (drop (memory.grow (i32.const -1))) unreachable)

;; guest grows-a-table
(table $t 1 funcref)
(func (export "run") (type $run) (loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 10000)) (i32.const -1))))
    (if (i32.gt_u (table.size $t) (i32.const 20000)) (then (loop $l (br $l)))) unreachable)

;; guest result-outside
(func (export "run") (type $run) (i32.const 0x7ffffff0))
(func (export "get-variable") (type $get-variable) (i32.const 0x7ffffff0))
(func (export "list-files") (type $list-files) (i32.const -16))

;; guest result-unaligned
(func (export "run") (type $run) (i32.const 3))

;; guest wrong-discriminants
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 255) (i32.const 4096)) (i32.const 0))

;; guest texts-outside
(func (export "run") (type $run) (local $i i32)
    (loop $l (i32.store (local.get $i) (i32.const 0x40000001)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 256))))
    (i32.const 0))

;; guest texts-not-utf8
(func (export "run") (type $run) (local $i i32)
    (memory.fill (i32.const 257) (i32.const 255) (i32.const 512))
    (loop $l (i32.store (local.get $i) (i32.const 257)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 128))))
    (i32.const 0))

;; guest texts-of-16-megabytes
(memory (export "memory") 1000)
(func (export "run") (type $run) (local $i i32)
    (loop $l (i32.store (local.get $i) (i32.const 0x01000001)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 256))))
    (i32.const 0))

;; guest texts-of-30-megabytes
(memory (export "memory") 1000)
(func (export "run") (type $run) (local $i i32)
    (loop $l (i32.store (local.get $i) (i32.const 0x01e00001)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 256))))
    (i32.const 0))

;; guest texts-of-one-byte
(func (export "run") (type $run) (local $i i32)
    (loop $l (i32.store (local.get $i) (i32.const 1)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 256))))
    (i32.const 0))

;; guest value-that-is-none
(func (export "run") (type $run) (local $i i32)
    (loop $l (i32.store (local.get $i) (i32.const 0x101)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 256))))
    (memory.fill (i32.const 257) (i32.const 0x7a) (i32.const 512))
    (i32.store (i32.const 0) (i32.const 0))
    (i32.const 0))

;; guest writes-all-its-memory
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(memory (export "memory") 1000)
(func (export "run") (type $run) (loop $l (drop (call $write (i32.const 0) (i32.const 0) (i32.const 65536000))) (br $l)) unreachable)

;; guest writes-nothing
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(func (export "run") (type $run) (loop $l (drop (call $write (i32.const 1) (i32.const 0) (i32.const 0))) (br $l)) unreachable)

;; guest writes-single-bytes
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(func (export "run") (type $run)
    (loop $l (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1))) (drop (call $write (i32.const 0) (i32.const 0) (i32.const 1))) (br $l)) unreachable)

;; guest writes-from-outside
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(func (export "run") (type $run) (call $write (i32.const 0) (i32.const 0x10000000) (i32.const 100)))

;; guest writes-beyond-the-end
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(func (export "run") (type $run) (call $write (i32.const 0) (i32.const 2097000) (i32.const -1)))

;; guest writes-to-stream-seven
(import "coldframe:sandbox/host@0.1.0" "write" (func $write (param i32 i32 i32) (result i32)))
(func (export "run") (type $run) (call $write (i32.const 7) (i32.const 0) (i32.const 1)))

;; guest sleeps
(import "coldframe:sandbox/host@0.1.0" "sleep" (func $sleep (param i64)))
(func (export "run") (type $run) (loop $l (call $sleep (i64.const -1)) (br $l)) unreachable)

;; guest naps
(import "coldframe:sandbox/host@0.1.0" "sleep" (func $sleep (param i64)))
(func (export "run") (type $run) (loop $l (call $sleep (i64.const 0)) (br $l)) unreachable)

;; guest asks-and-does-not-listen
(import "coldframe:sandbox/host@0.1.0" "checkpoint" (func $checkpoint (result i32)))
(func (export "run") (type $run) (loop $l (drop (call $checkpoint)) (br $l)) unreachable)

;; guest looks-at-the-clock
(import "coldframe:sandbox/host@0.1.0" "wall-clock" (func $wall (result i64)))
(import "coldframe:sandbox/host@0.1.0" "monotonic-clock" (func $clock (result i64)))
(func (export "run") (type $run) (loop $l (drop (call $clock)) (drop (call $wall)) (br $l)) unreachable)

;; guest wants-randomness
(import "coldframe:sandbox/host@0.1.0" "entropy" (func $entropy (param i32 i32)))
(memory (export "memory") 64)
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
(func (export "run") (type $run) (loop $l (call $entropy (i32.const -1) (i32.const 0)) (br $l)) unreachable)

;; guest wants-randomness-outside
(import "coldframe:sandbox/host@0.1.0" "entropy" (func $entropy (param i32 i32)))
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const -65536))
(func (export "run") (type $run) (call $entropy (i32.const 1000) (i32.const 0)) unreachable)

;; guest wants-randomness-at-no-place
(import "coldframe:sandbox/host@0.1.0" "entropy" (func $entropy (param i32 i32)))
(func (export "run") (type $run) (call $entropy (i32.const 1000) (i32.const -8)) unreachable)

;; guest allocates-outside
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const -65536))

;; guest allocates-the-same-again
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 8))
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 0) (i32.const 4096)) (i32.const 0))

;; guest allocates-unaligned
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 9))
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 0) (i32.const 4096)) (i32.const 0))

;; guest allocates-for-ever
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (loop $l (br $l)) unreachable)

;; guest allocates-by-a-trap
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)

;; guest cleans-up-for-ever
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 0) (i32.const 4096)) (i32.const 0))
(func (export "cabi_post_run") (param i32) (loop $l (br $l)))

;; guest cleans-up-by-a-trap
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 0) (i32.const 4096)) (i32.const 0))
(func (export "cabi_post_run") (param i32) unreachable)

;; guest calls-a-tool-with-garbage
(import "coldframe:sandbox/host@0.1.0" "call-tool" (func $call (param i32 i32 i32 i32 i32)))
(func (export "run") (type $run)
    (memory.fill (i32.const 1024) (i32.const 0x9f) (i32.const 4096))
    (memory.fill (i32.const 8192) (i32.const 0x41) (i32.const 4096))
    (call $call (i32.const 8192) (i32.const 10) (i32.const 1024) (i32.const 4096) (i32.const 0))
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 1024))
    (i32.const 0))

;; guest calls-a-tool-of-a-giant-name
(import "coldframe:sandbox/host@0.1.0" "call-tool" (func $call (param i32 i32 i32 i32 i32)))
(memory (export "memory") 1000)
(func (export "run") (type $run) (loop $l (call $call (i32.const 65536) (i32.const 16777216) (i32.const 0) (i32.const 0) (i32.const 0)) (br $l)) unreachable)

;; guest calls-a-tool-that-is-not-text
(import "coldframe:sandbox/host@0.1.0" "call-tool" (func $call (param i32 i32 i32 i32 i32)))
(func (export "run") (type $run)
    (memory.fill (i32.const 8192) (i32.const 0xff) (i32.const 4096))
    (call $call (i32.const 8192) (i32.const 10) (i32.const 0) (i32.const 0) (i32.const 0)) unreachable)

;; guest calls-a-tool-for-ever
(import "coldframe:sandbox/host@0.1.0" "call-tool" (func $call (param i32 i32 i32 i32 i32)))
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
(func (export "run") (type $run) (loop $l (call $call (i32.const 0) (i32.const 10) (i32.const 0) (i32.const 0) (i32.const 1024)) (br $l)) unreachable)

;; guest value-of-a-giant-length
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\09\00\00\00")
(data (i32.const 2048) "\5b\ff\ff\ff\ff\ff\ff\ff\ff")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-of-a-giant-list
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\09\00\00\00")
(data (i32.const 2048) "\9b\ff\ff\ff\ff\ff\ff\ff\ff")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-of-a-giant-map
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\09\00\00\00")
(data (i32.const 2048) "\bb\80\00\00\00\00\00\00\00")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-without-bytes
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\00\00")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-that-nests
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0x81) (i32.const 0x100000)) (i32.const 1024))

;; guest value-of-nested-maps
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0xa1) (i32.const 0x100000)) (i32.const 1024))

;; guest value-of-nested-tags
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0xc2) (i32.const 0x100000)) (i32.const 1024))

;; guest value-without-end
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0x9f) (i32.const 0x100000)) (i32.const 1024))

;; guest value-of-breaks
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0xff) (i32.const 0x100000)) (i32.const 1024))

;; guest value-that-goes-on
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\00\00\10\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2048) (i32.const 0xf6) (i32.const 0x100000)) (i32.const 1024))

;; guest value-of-no-text
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\03\00\00\00")
(data (i32.const 2048) "\62\c3\28")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-of-an-unknown-tag
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\0a\00\00\00")
(data (i32.const 2048) "\db\ff\ff\ff\ff\ff\ff\ff\ff\f6")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-of-a-tag-around-nothing-right
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\04\00\00\00")
(data (i32.const 2048) "\d9\01\02\f6")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest value-of-fifty-million-parts
(memory (export "memory") 800)
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\05\f0\fa\02")
(data (i32.const 2048) "\9a\02\fa\f0\00")
(func (export "get-variable") (type $get-variable) (memory.fill (i32.const 2053) (i32.const 0x80) (i32.const 50000000)) (i32.const 1024))

;; guest value-outside
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\00\00\70\00\00\00\0f")
(func (export "get-variable") (type $get-variable) (i32.const 1024))

;; guest reason-of-30-megabytes
(memory (export "memory") 1000)
(data (i32.const 1024) "\01\00\00\00\00\00\01\00\00\00\e0\01")
(func (export "get-variable") (type $get-variable) (i32.const 1024))
(func (export "set-variable") (type $set-variable) (i32.const 1024))
(func (export "write-file") (type $write-file) (i32.const 1024))
(func (export "read-file") (type $read-file) (i32.const 1024))

;; guest file-without-end
(memory (export "memory") 200)
(data (i32.const 1024) "\00\00\00\00\00\08\00\00\00\00\40\00")
(func (export "read-file") (type $read-file) (i32.const 1024))

;; guest file-of-more-than-was-asked-for
(memory (export "memory") 200)
(data (i32.const 1024) "\00\00\00\00\00\08\00\00\00\00\80\00")
(func (export "read-file") (type $read-file) (i32.const 1024))

;; guest list-of-half-the-memory
(memory (export "memory") 1000)
(data (i32.const 1024) "\00\00\00\00\00\10\00\00\00\00\28\00")
(func (export "list-files") (type $list-files) (i32.const 1024))
(func (export "list-imports") (type $list-imports) (i32.const 1024))

;; guest list-of-more-than-there-is
(data (i32.const 1024) "\00\00\00\00\00\10\00\00\ff\ff\ff\ff")
(func (export "list-files") (type $list-files) (i32.const 1024))
(func (export "list-imports") (type $list-imports) (i32.const 1024))

;; guest list-of-giant-names
(memory (export "memory") 1000)
(data (i32.const 1024) "\00\00\00\00\00\10\00\00\40\00\00\00")
(func (export "list-files") (type $list-files) (local $i i32)
    (local.set $i (i32.const 4096))
    (loop $l (i32.store (local.get $i) (i32.const 0x01000000)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 8192))))
    (i32.const 1024))

;; guest view-outside
(data (i32.const 1024) "\00\00\00\70\00\00\00\0f")
(func (export "memory-view") (type $memory-view) (i32.const 1024))

;; guest view-of-nothing
(data (i32.const 1024) "\00\00\00\00\00\00\00\00")
(func (export "memory-view") (type $memory-view) (i32.const 1024))
(func (export "restore-begin") (type $restore-begin) (i32.const 1))
(func (export "restore-aim") (type $restore-aim))
(func (export "restore-write") (type $restore-write))
(func (export "run") (type $run) (memory.fill (i32.const 0) (i32.const 0) (i32.const 4096)) (i32.const 0))

;; guest restores-nothing
(import "coldframe:sandbox/host@0.1.0" "wall-clock" (func $wall (result i64)))
(memory (export "memory") 400)
(data (i32.const 1024) "\00\00\00\00\00\00\90\01")
(func (export "memory-view") (type $memory-view) (i64.store (i32.const 0x900000) (call $wall)) (i32.const 1024))
(func (export "restore-begin") (type $restore-begin) (i32.const 1))
(func (export "restore-aim") (type $restore-aim) unreachable)
