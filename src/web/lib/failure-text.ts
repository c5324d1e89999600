import { formatCount } from './format-number.ts'
import { formatLength } from './format-time.ts'

/** Prometheus' message about an exceeded query limit in words; `undefined` for other failures. */
export function limitWords(message: string): string | undefined {
  const samples = /would load too many samples into memory in query execution: limit is (\d+)/.exec(message)
  if (samples !== null) return `The query would read more samples than the limit of ${amountOf(samples[1]!)}`
  const bytes = /would need (\d+) bytes for intermediate results: limit is (\d+)/.exec(message)
  if (bytes !== null) {
    const [needed, limit] = [sizeOf(bytes[1]!), sizeOf(bytes[2]!)]
    const needs = needed === limit ? `a little more than ${limit}` : needed
    return `The query would need ${needs} of memory for intermediate results; the limit is ${limit}`
  }
  const time = /timed out in expression evaluation: limit is (\d+) ms/.exec(message)
  if (time !== null)
    return `The query timed out after ${formatLength(Number(time[1]) / 1000)}, the longest time allowed`
  return undefined
}

function amountOf(digits: string): string {
  const amount = Number(digits)
  return amount >= 1_000_000 ? `${decimal(amount / 1_000_000)} million` : formatCount(amount)
}

const SIZES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const

function sizeOf(digits: string): string {
  const bytes = Number(digits)
  const [unit, name] = SIZES.find(([least]) => bytes >= least) ?? [1, 'bytes']
  return `${decimal(bytes / unit)} ${name}`
}

function decimal(value: number): string {
  return value >= 100 ? formatCount(Math.round(value)) : String(Math.round(value * 10) / 10)
}

/** A reason from the server as a sentence, with a capital and a full stop. */
export function asSentence(reason: string): string {
  const said = limitWords(reason) ?? reason
  const text = said.charAt(0).toUpperCase() + said.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
