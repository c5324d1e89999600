/** `daytwo configuration diff`: how the settings of a cluster differ, from a running server; for pipelines by its exit code. */
import { systemClock } from '../base/clock.ts'
import type { BaselineReplayAnswer, DifferencesAnswer } from '../contract/fleet-configuration.ts'
import { formatDuration } from '../model/duration.ts'
import { inputError, parseArguments, timeGiven, unexpected } from './arguments.ts'
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
      '       daytwo configuration replay --baseline CLUSTER [--from TIME] [--to TIME] [--format text|json] [--url SERVER]',
      '',
      'Lists the settings of a cluster that differ from those of another one, with the time and the author of each. Without',
      '--baseline it is compared with the baseline cluster of the server, or, if none is chosen, with what most clusters have.',
      'Clusters that keep the defaults of their versions do not differ, although the defaults may.',
      'replay lists the clusters that would have differed from another baseline over a past time, and when, beside those that',
      'differ from the baseline that is chosen now. Exit code 1 when a cluster differs from the proposed one alone.',
      'Exit code 0 without differences, 1 with differences, 2 for wrong usage, 3 when it is not known: the server refuses',
      'or does not respond, or one of the clusters reports no settings.',
      '',
      '  --baseline CLUSTER\n      Compare with this cluster.',
      '  --from, --to TIME\n      Of replay: a duration before now (30d, the default), RFC 3339, or seconds since the epoch.',
      '  --format text|json\n      json prints the response as it came (default text)',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a viewer, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(
      args,
      new Set(['baseline', 'format', 'url', 'token', 'token-file', 'from', 'to']),
      new Set(),
    )
    const [verb = '', cluster, ...more] = words
    if (verb === 'replay' && cluster === undefined) return replayBaseline(options)
    if (verb !== 'diff') throw unexpected('daytwo configuration', verb, 'diff or replay')
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

async function replayBaseline(options: ReadonlyMap<string, string>): Promise<number> {
  const baseline = options.get('baseline')
  if (baseline === undefined) {
    throw inputError('daytwo configuration replay: got no --baseline, want the name of the proposed baseline cluster')
  }
  const format = options.get('format') ?? 'text'
  if (format !== 'text' && format !== 'json') throw unexpected('option --format', format, 'text or json')
  const nowMs = systemClock.nowMs()
  const timeOf = (name: 'from' | 'to', otherwise: string): string =>
    new Date(timeGiven(options.get(name) ?? otherwise, name, nowMs)).toISOString()
  const to = options.has('to') ? `&to=${encodeURIComponent(timeOf('to', '0s'))}` : ''
  const query = `baseline=${encodeURIComponent(baseline)}&from=${encodeURIComponent(timeOf('from', '30d'))}${to}`
  const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
  try {
    const path = `/api/fleet/v1/configuration/baseline/replay?${query}`
    const answer = await requestOwn<BaselineReplayAnswer>(server, 'GET', path)
    if (format === 'json') console.log(JSON.stringify(answer))
    else printReplay(answer)
    if (answer.compared === 0) return UNKNOWN
    return answer.onlyProposed.clusters === 0 ? SAME : DIFFERENT
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown
    console.error(`daytwo configuration: ${thrown.message}`)
    return UNKNOWN
  }
}

function printReplay(answer: BaselineReplayAnswer): void {
  const { from, to, proposed, present, total, compared, onlyProposed, onlyPresent, both, clusters } = answer
  const side = ({ clusters: count, seconds }: BaselineReplayAnswer['both']): string =>
    `${count} of ${compared} clusters, ${formatDuration(Math.round(seconds) * 1000)}`
  console.log(`${from} to ${to}: ${compared} of ${total} clusters compared`)
  console.log(`differ from ${proposed}${present === null ? '' : ' alone'}: ${side(onlyProposed)}`)
  if (present !== null) {
    console.log(`differ from ${present} alone: ${side(onlyPresent)}`)
    console.log(`differ from both: ${side(both)}`)
  }
  if (clusters.length === 0) return
  printTable(
    ['CLUSTER', 'FROM', 'UNTIL', 'DIFFERS FROM IT IN', 'FROM THE PRESENT ONE IN'],
    clusters.flatMap(({ cluster, times }) =>
      times.map((time) => [
        ...[cluster, timeText(Date.parse(time.from)), timeText(Date.parse(time.until))],
        ...[time.proposed.join(',') || '-', time.present.join(',') || '-'],
      ]),
    ),
  )
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
