/**
 * The command line, read by hand because its keys have dots and its errors name the nearest key: `--key value`,
 * `--key=value`, `--flag`, `--no-flag`, and words. A repeated option adds to its list.
 */
import { FleetError } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'

export interface Arguments {
  /** Words that are not options, in order. */
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly isHelpAsked: boolean
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
  const options = new Map<string, string>()
  let isHelpAsked = false
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') isHelpAsked = true
    else if (arg === '--') words.push(...rest.splice(0))
    else if (!arg.startsWith('--')) words.push(arg)
    else readOption(arg, rest, options, valued, flags)
  }
  return { words, options, isHelpAsked }
}

function readOption(
  arg: string,
  rest: string[],
  options: Map<string, string>,
  valued: ReadonlySet<string>,
  flags: ReadonlySet<string>,
): void {
  const equals = arg.indexOf('=')
  const name = equals === -1 ? arg.slice(2) : arg.slice(2, equals)
  const given = equals === -1 ? undefined : arg.slice(equals + 1)
  if (flags.has(name)) options.set(name, given ?? 'true')
  else if (name.startsWith('no-') && flags.has(name.slice(3)) && given === undefined)
    options.set(name.slice(3), 'false')
  else if (valued.has(name)) {
    const value = given ?? rest.shift()
    if (value === undefined) throw new FleetError('config_invalid', `option --${name}: got nothing, want a value`)
    const before = options.get(name)
    options.set(name, before === undefined ? value : `${before},${value}`)
  } else {
    const [near] = nearest(name, [...valued, ...flags], 1)
    throw new FleetError('config_invalid', `unknown option --${name} on the command line`, {
      hint: near === undefined ? '`--help` lists the options' : `did you mean --${near}?`,
    })
  }
}
