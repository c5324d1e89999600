/**
 * Texts of options from the environment and the configuration file, by option key; nothing else reads either. An unknown key
 * is an error that names the nearest known one. `config.ts` has the options and what their texts mean.
 */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import { FleetError, messageOf } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'

/** Texts by option key, from one source. */
export type RawOptions = ReadonlyMap<string, string>

type Environment = Readonly<Record<string, string | undefined>>

const ENV_PREFIX = 'DAYTWO_'

/** @param keys of all options. Variables other than `DAYTWO_*` are ignored. */
export function readEnvironment(environment: Environment, keys: readonly string[]): RawOptions {
  const keyByEnvName = new Map(keys.map((key) => [ENV_PREFIX + key.toUpperCase().replace(/[.-]/g, '_'), key]))
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(ENV_PREFIX) || name === `${ENV_PREFIX}CONFIG` || value === undefined) continue
    const key = keyByEnvName.get(name)
    if (key === undefined) throw unknownOption(name, 'in the environment', keyByEnvName.keys())
    values.set(key, value)
  }
  return values
}

/** The configuration file named by `DAYTWO_CONFIG`, unless the command line names one. */
export function configFileFromEnvironment(environment: Environment = process.env): string | undefined {
  return environment[`${ENV_PREFIX}CONFIG`]
}

/** @param keys of all options */
export function readConfigFile(path: string, keys: readonly string[]): RawOptions {
  let tree: unknown
  try {
    tree = parseYaml(readFileSync(path, 'utf8')) ?? {}
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot read configuration file ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
  const values = new Map(flattened('', tree))
  if (values.has(''))
    throw new FleetError('config_invalid', `configuration file ${path}: got ${typeof tree}, want a map of options`)
  for (const key of values.keys()) if (!keys.includes(key)) throw unknownOption(key, `in ${path}`, keys)
  return values
}

/** Nested maps become dotted keys; a list becomes its comma-separated text. */
function flattened(prefix: string, node: unknown): [string, string][] {
  if (typeof node === 'object' && node !== null && !Array.isArray(node))
    return Object.entries(node).flatMap(([key, child]) => flattened(prefix === '' ? key : `${prefix}.${key}`, child))
  return [[prefix, Array.isArray(node) ? node.map(String).join(',') : String(node)]]
}

/** Names the nearest known option. `written` is the option as the user wrote it. */
function unknownOption(written: string, place: string, known: Iterable<string>): FleetError {
  return new FleetError('config_invalid', `unknown option ${written} ${place}`, {
    hint: didYouMean(written, known) ?? '`daytwo serve --help` lists the options',
  })
}
