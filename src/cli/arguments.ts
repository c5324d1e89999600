import { ownValue } from '../base/own-value.ts'
import { parseTime } from '../api/prometheus/params.ts'
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { parseDuration } from '../model/duration.ts'

/**
 * The command line, read by hand because its keys have dots and its errors name the nearest key: `--key value`,
 * `--key=value`, `--flag`, `--no-flag`, and words. A repeated option adds to its list.
 */

export interface Arguments {
  /** Positional arguments, in order. */
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  /** The separate values of each option, in order: for options whose values may contain commas. */
  readonly lists: ReadonlyMap<string, readonly string[]>
}

/**
 * @param valued names of options that take a value
 * @param flags names of options that take none (they may be written `--no-name` or `--name=false`)
 */
export function parseArguments(
  args: readonly string[],
  valued: ReadonlySet<string>,
  flags: ReadonlySet<string>,
): Arguments {
  const words: string[] = []
  const lists = new Map<string, string[]>()
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') words.push(...rest.splice(0))
    else if (!arg.startsWith('--')) words.push(arg)
    else {
      const [name, value] = readOption(arg, rest, valued, flags)
      // The last occurrence of a flag wins; values of other options accumulate.
      if (flags.has(name)) lists.set(name, [value])
      else lists.set(name, [...(lists.get(name) ?? []), value])
    }
  }
  const options = new Map([...lists].map(([name, values]) => [name, values.join(',')]))
  return { words, options, lists }
}

function readOption(
  arg: string,
  rest: string[],
  valued: ReadonlySet<string>,
  flags: ReadonlySet<string>,
): readonly [name: string, value: string] {
  const equals = arg.indexOf('=')
  const name = equals === -1 ? arg.slice(2) : arg.slice(2, equals)
  const given = equals === -1 ? undefined : arg.slice(equals + 1)
  if (flags.has(name)) return [name, given ?? 'true']
  if (name.startsWith('no-') && flags.has(name.slice(3)) && given === undefined) return [name.slice(3), 'false']
  if (valued.has(name)) {
    const value = given ?? rest.shift()
    if (value === undefined) throw inputError(`option --${name}: got nothing, want a value`)
    return [name, value]
  }
  const hint = didYouMean(name, [...valued, ...flags])?.replace('mean ', 'mean --') ?? '`--help` lists the options'
  throw new FleetError('config_invalid', `unknown option --${name} on the command line`, { hint })
}

/** The text of a file that the user names. Throws `config_invalid`. */
export function readGiven(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot read ${path}: ${messageOf(thrown)}`, { cause: thrown })
  }
}

/** An error of the user's input. */
export function inputError(message: string, hint?: string): FleetError {
  return new FleetError('config_invalid', message, hint === undefined ? {} : { hint })
}

/** `option --format: got "xml", want text or json`. */
export function unexpected(what: string, got: string, want: string, hint?: string): FleetError {
  return inputError(`${what}: got ${JSON.stringify(got)}, want ${want}`, hint)
}

/** The entry of a subcommand. Throws `config_invalid` for another word. */
export function verbOf<T>(command: string, verbs: Readonly<Record<string, T>>, verb: string): T {
  const found = ownValue(verbs, verb)
  if (found !== undefined) return found
  const wanted = Object.keys(verbs).join(', ')
  throw unexpected(`daytwo ${command}`, verb, wanted.replace(/, (\w+)$/, ' or $1'))
}

/** A time as written in an option; a duration counts back from now. Throws `config_invalid`. */
export function timeGiven(text: string, option: string, nowMs: number): number {
  const agoMs = parseDuration(text)
  if (agoMs !== undefined) return nowMs - agoMs
  const timeMs = parseTime(text)
  if (timeMs !== undefined) return Math.trunc(timeMs)
  throw inputError(
    `option --${option}: got ${JSON.stringify(text)}, want a duration or a time`,
    'like 30d, 12h, 2026-08-20T10:00:00Z or 1787220000',
  )
}
