/** `daytwo privacy`: what is stored about a cluster, and its erasure, through a running server. */
import type { StoredItems } from '../contract/cluster-report.ts'
import type { ErasureItem, ErasureItems, ErasureRequest } from '../contract/erasures.ts'
import { inputError, parseArguments, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf, type Server } from './prometheus-client.ts'

const VALUED = new Set(['confirm', 'by', 'url', 'token', 'token-file'])
const PATH = '/api/fleet/v1/erasures'

export const privacyCommand: Command = {
  help: () =>
    [
      'Usage: daytwo privacy report CLUSTER [--url SERVER]',
      '       daytwo privacy erase CLUSTER --confirm CLUSTER [--url SERVER]',
      '       daytwo privacy erasures [--url SERVER]',
      '       daytwo privacy allow ID [--url SERVER]',
      '',
      'report lists the stored data of a cluster: amount, time range, and the option that sets the retention.',
      'erase removes this data, under all names of the cluster: series with their samples, objects, traces, log records,',
      'upgrades, alerts, silences, notifications, claims, tokens and audit entries about the cluster. The erasure runs in the',
      'background and repeats for an hour, until no data is found; `erasures` shows the progress. Counts of the whole fleet',
      'stay, and one audit entry: when a cluster was erased and by which user, without the name of the cluster. Existing',
      'backups still contain the cluster. New data of the cluster is refused as cluster_erased, until `allow` accepts it.',
      'Exit code 0; 1 when the server refuses or does not respond; 2 for wrong usage.',
      '',
      '  --confirm CLUSTER\n      The name of the cluster again, as a confirmation: an erasure cannot be reverted.',
      '  --by NAME\n      The author; used only when the server requires no token.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of an admin, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    const [verb = '', ...rest] = words
    const work = verbOf('privacy', { report, erase, erasures, allow }, verb)
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    try {
      await work(server, rest, options)
      return 0
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo privacy: ${thrown.message}`)
      return 1
    }
  },
}

async function report(server: Server, words: readonly string[]): Promise<void> {
  const cluster = oneWord('report', words, 'the name of a cluster')
  const path = `/api/fleet/v1/clusters/${encodeURIComponent(cluster)}/stored`
  const { names, stored } = await requestOwn<StoredItems>(server, 'GET', path)
  console.log(`names: ${names.join(', ')}`)
  for (const part of stored) {
    const { what, kind, count, bytes, oldestAt, newestAt, retention, partial } = part
    const times = newestAt === null ? '' : `, ${oldestAt ?? 'unknown'} to ${newestAt}`
    const size = bytes === null ? '' : `, about ${bytes} bytes`
    const kept = retention === null ? '' : `, ${retention.option} ${retention.value}`
    console.log(
      `${what.replace('_', ' ')}${kind === null ? '' : ` ${kind}`}: ${count}${partial ? ' or more' : ''}${size}${times}${kept}`,
    )
    if (part.names.length > 0) console.log(`  ${part.names.join(', ')}`)
    if (part.labels.length > 0) console.log(`  labels: ${part.labels.join(', ')}`)
  }
}

async function erase(server: Server, words: readonly string[], options: ReadonlyMap<string, string>): Promise<void> {
  const cluster = oneWord('erase', words, 'the name of a cluster')
  const confirm = options.get('confirm')
  if (confirm === undefined)
    throw inputError('daytwo privacy erase: got no --confirm, want the name of the cluster again')
  const by = options.get('by')
  const request: ErasureRequest = { cluster, confirm, ...(by === undefined ? {} : { by }) }
  show(await requestOwn<ErasureItem>(server, 'POST', PATH, request))
}

async function erasures(server: Server, words: readonly string[]): Promise<void> {
  if (words.length > 0) throw unexpected('daytwo privacy erasures', words.join(' '), 'nothing')
  for (const one of (await requestOwn<ErasureItems>(server, 'GET', PATH)).erasures) show(one)
}

async function allow(server: Server, words: readonly string[]): Promise<void> {
  const id = oneWord('allow', words, 'the ID of an erasure')
  show(await requestOwn<ErasureItem>(server, 'POST', `${PATH}/${encodeURIComponent(id)}/allow`, {}))
}

function show({ id, names, state, removed, startedAt, by, processes, metricsStore }: ErasureItem): void {
  const what = names === null ? 'a cluster' : names.join(', ')
  console.log(`${id}: ${what}, ${state}, ${removed} rows and series removed, started ${startedAt} by ${by}`)
  for (const { process, removed: count, doneAt } of processes) {
    console.log(`  process ${process}: ${count} removed, ${doneAt === null ? 'erasing' : `erased ${doneAt}`}`)
  }
  if (metricsStore !== null) {
    const text = metricsStore.text === '' ? '' : `: ${metricsStore.text}`
    console.log(`  metrics store: ${metricsStore.state} ${metricsStore.at}${text}`)
  }
}

function oneWord(verb: string, words: readonly string[], wanted: string): string {
  const [word, ...others] = words
  if (word !== undefined && others.length === 0) return word
  throw unexpected(`daytwo privacy ${verb}`, words.join(' '), wanted)
}
