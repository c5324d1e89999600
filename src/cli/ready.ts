/** `daytwo ready`: whether clusters can be upgraded to a version, from a running server, with exit codes for pipelines. */
import type { ReadinessItems, ReadyClusterItem } from '../contract/readiness.ts'
import { READINESS_VERDICTS } from '../model/readiness.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf, type Server } from './prometheus-client.ts'
import { printTable } from './table.ts'

const VALUED = new Set(['target', 'selector', 'format', 'url', 'token', 'token-file'])
const PATH = '/api/fleet/v1/readiness'
const PAGE_CLUSTERS = '500'
/** What a selector may test; the server checks the values. */
const SELECTOR_KEYS = ['version', 'channel', 'platform', 'flavour', 'region', 'state', 'text'] as const

const NO_ANSWER = 1
/** 2 is wrong usage. The worst verdict decides. */
const EXIT_CODES = { ready: 0, at_risk: 3, not_recommended: 4, unknown: 5 } as const
const NONE_SELECTED = 6
const WORST_FIRST = ['not_recommended', 'at_risk', 'unknown'] as const

export const readyCommand: Command = {
  help: () =>
    [
      'Usage: daytwo ready --target VERSION [--selector FILTER] [--format text|json] [--url SERVER]',
      '',
      'Lists the clusters that can be upgraded to a version, with their readiness and hazards. Daytwo advises and',
      'blocks nothing; a pipeline decides by the exit code. Accepted risks do not count.',
      'Exit code 0 when all selected clusters are ready or already there; 1 when the server refuses or does not respond;',
      '2 for wrong usage; 3 when the worst verdict is at_risk; 4 when it is not_recommended; 5 when none is worse than',
      'unknown; 6 when the selection has no cluster for this target.',
      '',
      '  --target VERSION\n      1.20.0 or 1.20 (HCO; 4.24.0 is the same release of OpenShift Virtualization), or "openshift 4.20.3".',
      `  --selector FILTER\n      The filter of the clusters list: conditions KEY=VALUE joined by &, such as region=eu&version=1.18; KEY is one of\n      ${SELECTOR_KEYS.join(', ')}.`,
      '  --format text|json\n      json prints the items of the API, one object per line.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a viewer, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    if (words.length > 0) throw unexpected('daytwo ready', words.join(' '), 'options only')
    const to = options.get('target')?.trim() ?? ''
    if (to === '') throw inputError('daytwo ready: got no --target, want the version to upgrade to', 'such as 1.20.0')
    const format = options.get('format') ?? 'text'
    if (format !== 'text' && format !== 'json') throw unexpected('option --format', format, 'text or json')
    const query = queryOf(to, options.get('selector') ?? '')
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    try {
      const { clusters, first } = await readAll(server, query)
      if (format === 'json') for (const one of clusters) console.log(JSON.stringify(one))
      else printClusters(clusters, first)
      return exitCodeOf(clusters, first)
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo ready: ${thrown.message}`)
      return NO_ANSWER
    }
  },
}

/** Throws for a selector that is not of the documented form. */
function queryOf(to: string, selector: string): URLSearchParams {
  const query = new URLSearchParams({ to, facets: 'true', limit: PAGE_CLUSTERS })
  for (const part of selector.split('&').filter((condition) => condition.trim() !== '')) {
    const at = part.indexOf('=')
    const [key, value] = [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()]
    if (!SELECTOR_KEYS.some((known) => known === key) || value === '') {
      throw unexpected('option --selector', part, `KEY=VALUE with KEY one of ${SELECTOR_KEYS.join(', ')}`)
    }
    query.append(key, value)
  }
  return query
}

interface Answered {
  readonly clusters: readonly ReadyClusterItem[]
  readonly first: ReadinessItems
}

async function readAll(server: Server, query: URLSearchParams): Promise<Answered> {
  const first = await requestOwn<ReadinessItems>(server, 'GET', `${PATH}?${query.toString()}`)
  const clusters = [...first.clusters]
  const rest = new URLSearchParams(query)
  rest.delete('facets')
  for (let cursor = first.nextCursor; cursor !== null;) {
    rest.set('cursor', cursor)
    const page = await requestOwn<ReadinessItems>(server, 'GET', `${PATH}?${rest.toString()}`)
    clusters.push(...page.clusters)
    cursor = page.nextCursor
  }
  return { clusters, first }
}

function printClusters(clusters: readonly ReadyClusterItem[], { target, reached }: ReadinessItems): void {
  if (clusters.length > 0) {
    printTable(
      ['CLUSTER', 'VERSION', 'VERDICT', 'HAZARDS'],
      clusters.map((one) => [one.cluster, one.version ?? 'not reported', one.verdict, hazardsText(one)]),
    )
  }
  const counts = READINESS_VERDICTS.map(
    (verdict) => `${clusters.filter((one) => one.verdict === verdict).length} ${verdict}`,
  )
  console.log(`${target.to}: ${counts.join(', ')}; ${reached} already there`)
}

/** Those that count, then what cannot be ruled out. */
function hazardsText({ hazards, unknown, silent }: ReadyClusterItem): string {
  const counted = hazards.map(({ id, accepted }) => (accepted === null ? id : `${id} (accepted)`))
  const missing = unknown.length === 0 ? [] : [`unknown: ${unknown.map(({ id }) => id).join(' ')}`]
  return [...counted, ...missing, ...(silent ? ['silent'] : [])].join(', ')
}

function exitCodeOf(clusters: readonly ReadyClusterItem[], { reached }: ReadinessItems): number {
  if (clusters.length === 0) return reached > 0 ? EXIT_CODES.ready : NONE_SELECTED
  const worst = WORST_FIRST.find((verdict) => clusters.some((one) => one.verdict === verdict))
  return EXIT_CODES[worst ?? 'ready']
}
