/** `daytwo import`: converts dashboards of other tools to Perses YAML. */
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import { importGrafana } from '../catalog/grafana/import-dashboard.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'

export const importCommand: Command = {
  help: () =>
    [
      'Usage: daytwo import grafana FILE',
      '',
      'Prints a Grafana dashboard (its JSON, as it is exported or as the API answers it; - reads standard input) as a',
      'Perses dashboard. Parts that could not be converted are listed on standard error, one per line. Put the result into the',
      'folder of dashboards and run `daytwo lint`.',
    ].join('\n'),
  run: (args) => {
    const { words } = parseArguments(args, new Set(), new Set())
    const [from, file, ...more] = words
    if (from !== 'grafana') {
      throw unexpected('daytwo import', from ?? '', 'grafana')
    }
    if (file === undefined || more.length > 0) {
      throw inputError(`daytwo import grafana: want one file, got ${words.length - 1}`)
    }
    const { yaml, notConverted } = importGrafana(read(file))
    for (const line of notConverted) console.error(`not converted: ${line}`)
    process.stdout.write(yaml)
    return Promise.resolve(0)
  },
}

function read(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (thrown) {
    throw new FleetError('config_invalid', `reading ${file} failed: ${messageOf(thrown)}`, { cause: thrown })
  }
}
