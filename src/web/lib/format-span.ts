import { formatShortLength } from './format-length.ts'

/** Durations of spans: from nanoseconds to days in at most two units: `340 ns`, `12.4 ms`, `3.2 s`, `4 min 05 s`. Pure. */
export function formatSpanNs(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`
  if (ns < 1e6) return `${shortNumber(ns / 1e3)} µs`
  if (ns < 1e9) return `${shortNumber(ns / 1e6)} ms`
  if (ns < 10e9) return `${shortNumber(ns / 1e9)} s`
  return formatShortLength(ns / 1e9)
}

/** Three digits. */
function shortNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** `+1 min 20 s`, `-3.2 s`. */
export function formatDifferenceNs(ns: number): string {
  return `${ns < 0 ? '-' : '+'}${formatSpanNs(Math.abs(ns))}`
}
