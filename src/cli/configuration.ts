/** `daytwo configuration diff`: how the settings of a cluster differ, from a running server; for pipelines by its exit code. */
import type { DifferencesAnswer } from '../contract/fleet-configuration.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf } from './prometheus-client.ts'
import { printTable, timeText } from './table.ts'

const SAME = 0
const DIFFERENT = 1
const UNKNOWN = 3

export const configurationCommand: Command = {
  help: () =>
    [
      'Usage: daytwo configuration diff CLUSTER [--baseline CLUSTER] [--format text|json] [--url SERVER]',
      '',
      'Lists the settings of a cluster that differ from those of another one, with the time and the author of each. Without',
      '--baseline it is compared with the baseline cluster of the server, or, if none is chosen, with what most clusters have.',
      'Clusters that keep the defaults of their versions do not differ, although the defaults may.',
      'Exit code 0 without differences, 1 with differences, 2 for wrong usage, 3 when it is not known: the server refuses',
      'or does not respond, or one of the clusters reports no settings.',
      '',
      '  --baseline CLUSTER\n      Compare with this cluster.',
      '  --format text|json\n      json prints the response as it came (default text)',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a viewer, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(
      args,
      new Set(['baseline', 'format', 'url', 'token', 'token-file']),
      new Set(),
    )
    const [verb = '', cluster, ...more] = words
    if (verb !== 'diff') throw unexpected('daytwo configuration', verb, 'diff')
    if (cluster === undefined || more.length > 0) {
      throw inputError(
        'daytwo configuration diff: want the name of one cluster',
        'another one is given with --baseline',
      )
    }
    const format = options.get('format') ?? 'text'
    if (format !== 'text' && format !== 'json') throw unexpected('option --format', format, 'text or json')
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    const baseline = options.get('baseline')
    const query = baseline === undefined ? '' : `?against=${encodeURIComponent(baseline)}`
    try {
      const path = `/api/fleet/v1/configuration/clusters/${encodeURIComponent(cluster)}${query}`
      const answer = await requestOwn<DifferencesAnswer>(server, 'GET', path)
      if (format === 'json') console.log(JSON.stringify(answer))
      else printDifferences(answer)
      if (answer.compared === 0) return UNKNOWN
      return answer.differences.length === 0 ? SAME : DIFFERENT
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo configuration: ${thrown.message}`)
      return UNKNOWN
    }
  },
}

function printDifferences({ cluster, against, reference, compared, differences }: DifferencesAnswer): void {
  const other = reference ?? 'most clusters'
  if (compared === 0) {
    console.error(`daytwo configuration: nothing to compare: ${cluster} or ${other} reports no settings`)
    return
  }
  const named = against === 'baseline' ? `${other} (baseline)` : other
  console.log(`${cluster}: ${differences.length} of ${compared} settings differ from ${named}`)
  if (differences.length === 0) return
  printTable(
    ['SETTING', 'VALUE', 'EXPECTED', 'SINCE', 'BY'],
    differences.map((one) => [
      ...[one.name, valueText(one.value, one.default), valueText(one.expected, one.expectedDefault)],
      ...[one.since === null ? '-' : timeText(Date.parse(one.since)), one.by ?? '-'],
    ]),
  )
}

function valueText(value: DifferencesAnswer['differences'][number]['value'], isDefault: boolean): string {
  if (value === null) return 'not set'
  const text = typeof value === 'object' ? (value.length === 0 ? 'empty' : value.join(',')) : String(value)
  return isDefault ? `${text} (default)` : text
}
