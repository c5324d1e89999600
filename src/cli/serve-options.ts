import { configFileFromEnvironment } from '../config/config-sources.ts'
import { OPTIONS, readConfig, type Config } from '../config/config.ts'
import { parseArguments } from './arguments.ts'

/** A command's own options, in addition to those of the server. */
export interface ExtraOption {
  readonly name: string
  readonly placeholder: string
  readonly help: string
  readonly default: string
}

interface ServeArguments {
  readonly config: Config
  readonly extra: ReadonlyMap<string, string>
  /** Keys of server options set on the command line. */
  readonly given: ReadonlySet<string>
}

const FLAGS = new Set(Object.entries(OPTIONS).flatMap(([key, { kind }]) => (kind.placeholder === '' ? [key] : [])))

/** Parses the options of `serve` and `demo`. The command line overrides `defaults`. */
export function readServeArguments(
  args: readonly string[],
  extras: readonly ExtraOption[] = [],
  defaults: ReadonlyMap<string, string> = new Map(),
): ServeArguments {
  const extraNames = new Set(extras.map(({ name }) => name))
  const valued = new Set([...Object.keys(OPTIONS).filter((key) => !FLAGS.has(key)), ...extraNames, 'config'])
  const { options } = parseArguments(args, valued, FLAGS)
  const ofServer = new Map([...options].filter(([key]) => key !== 'config' && !extraNames.has(key)))
  const configFile = options.get('config') ?? configFileFromEnvironment()
  return {
    config: readConfig(new Map([...defaults, ...ofServer]), configFile),
    extra: new Map(extras.map(({ name, default: byDefault }) => [name, options.get(name) ?? byDefault])),
    given: new Set(ofServer.keys()),
  }
}

export function renderExtras(extras: readonly ExtraOption[]): string {
  return extras
    .map(({ name, placeholder, help, default: byDefault }) => {
      const shown = byDefault === '' ? '' : ` (default ${byDefault})`
      return `  --${name} ${placeholder}\n      ${help}${shown}`
    })
    .join('\n')
}

export const CONFIG_PLACES = [
  'Every option can also be set in the environment (--retention.raw is DAYTWO_RETENTION_RAW) or in a YAML file named by',
  '--config FILE (`retention.raw: 30d`, or `retention: { raw: 30d }`). The command line wins over the environment, the',
  'environment over the file. Durations are written as Prometheus writes them: 15s, 1h30m, 30d.',
].join('\n')
