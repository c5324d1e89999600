import { formatCount } from './format-number.ts'
import { formatLength } from './format-time.ts'

/** Prometheus' message about an exceeded query limit in words; `undefined` for other failures. */
export function limitWords(message: string): string | undefined {
  const samples = /would load too many samples into memory in query execution: limit is (\d+)/.exec(message)
  if (samples !== null)
    return `This query would read more than ${amountOf(samples[1]!)} samples, and none may read more`
  const bytes = /would need (\d+) bytes for intermediate results: limit is (\d+)/.exec(message)
  if (bytes !== null) {
    const [needed, limit] = [sizeOf(bytes[1]!), sizeOf(bytes[2]!)]
    const needs = needed === limit ? `a little more than ${limit}` : needed
    return `This query would need ${needs} of memory for what it works out on its way, and none may have more than ${limit}`
  }
  const time = /timed out in expression evaluation: limit is (\d+) ms/.exec(message)
  if (time !== null)
    return `This query was given up after ${formatLength(Number(time[1]) / 1000)}: none may take longer`
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
