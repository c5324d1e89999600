/** `daytwo token`: adds, lists and removes tokens; a server may run on the same data. */
import { systemClock } from '../base/clock.ts'
import {
  formatSelectors,
  parseSelectors,
  SELECTOR_KEYS,
  SELECTOR_WANTED,
  type ClusterSelectors,
} from '../model/cluster-scope.ts'
import { parseDuration } from '../model/duration.ts'
import { ROLES, type Role } from '../model/token.ts'
import { hashToken, newToken } from '../runtime/token-index.ts'
import { inputError, parseArguments, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { commandLine, existingFolder, FACTS_HELP, FACTS_OPTIONS, factsPlace, withFacts } from './data-folder.ts'
import { printTable, timeText } from './table.ts'

type Options = ReadonlyMap<string, string>

const VALUED = new Set([...FACTS_OPTIONS, 'role', 'name', 'cluster', 'clusters', 'expires'])

export const tokenCommand: Command = {
  help: () =>
    [
      'Usage: daytwo token add --role ROLE --name NAME [--cluster CLUSTER | --clusters SELECTOR] [--expires DUR] [--data DIR]',
      '       daytwo token list [--data DIR]',
      '       daytwo token remove ID [--data DIR]',
      '',
      'A token is shown once, when it is created; only its hash is stored. Clients send it as a Bearer token or as the password',
      'of Basic auth (any user name), so Prometheus, curl and browsers can use it. A running server accepts it',
      'within seconds. A server without tokens serves only this host; once tokens exist, it requires one from its',
      'next start on. The list has when a token was last used, to some minutes. Making and removing a token is in the audit.',
      '',
      'Roles:',
      '  ingest     may only send; with --cluster only for that cluster, and everything it sends gets that name',
      '  viewer     may read everything',
      '  responder  may also silence, acknowledge, and decommission clusters',
      '  admin      may do everything',
      '',
      '  --clusters SELECTOR',
      '      The clusters that a viewer, responder or admin sees and acts on, such as region=eu&cluster=prod-*; repeat it for more.',
      `      Keys: ${SELECTOR_KEYS.join(', ')}. Without it: all clusters.`,
      '  --expires DUR',
      '      When the token ends, from now: 90d, 1y. It is refused from then on. Without it the token does not end.',
      FACTS_HELP,
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    const [verb = '', ...rest] = words
    return verbOf('token', { add, list, remove }, verb)(options, rest)
  },
}

async function add(options: Options): Promise<number> {
  const role = readRole(options.get('role'))
  const name = options.get('name') ?? ''
  const cluster = options.get('cluster')
  if (name === '') throw inputError('option --name: got nothing, want a name for the token')
  if (cluster !== undefined && role !== 'ingest') {
    throw inputError(`option --cluster: got role ${role}, want ingest: only senders are bound to a cluster`)
  }
  if (cluster === '') throw inputError('option --cluster: got an empty name, want a cluster')
  const clusters = readClusters(options.get('clusters'), role)
  const createdAtMs = systemClock.nowMs()
  const expiresAtMs = readExpiry(options.get('expires'), createdAtMs)
  const token = newToken()
  const scope = { ...(cluster && { cluster }), ...(clusters && { clusters }) }
  const granted = { role, name, ...scope, ...(expiresAtMs && { expiresAtMs }) }
  const fresh = { ...granted, hash: hashToken(token), createdAtMs }
  const action = { atMs: createdAtMs, by: commandLine(), action: 'token.add', detail: JSON.stringify(granted) } as const
  // A new server may need its first token before its first start.
  const record = await withFacts(factsPlace(options, existingFolder), ({ tokens }) => tokens.add(fresh, action))
  const bound = cluster === undefined ? '' : `, cluster ${cluster}`
  const over = clusters === undefined ? '' : `, clusters ${formatSelectors(clusters)}`
  const ends = expiresAtMs === undefined ? '' : `, expires ${timeText(expiresAtMs)}`
  console.error(`token ${record.id}, role ${role}${bound}${over}${ends}; it is shown only now:`)
  console.log(token)
  return 0
}

async function list(options: Options): Promise<number> {
  const records = await withFacts(factsPlace(options), ({ tokens }) => tokens.list())
  const rows = records.map(({ id, role, name, cluster, clusters, createdAtMs, expiresAtMs, lastUsedMs }) => [
    String(id),
    role,
    cluster ?? (clusters === undefined ? '' : formatSelectors(clusters)),
    timeText(createdAtMs),
    expiresAtMs === undefined ? 'never' : timeText(expiresAtMs),
    lastUsedMs === undefined ? 'never' : timeText(lastUsedMs),
    name,
  ])
  printTable(['ID', 'ROLE', 'CLUSTERS', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], rows)
  return 0
}

async function remove(options: Options, words: readonly string[]): Promise<number> {
  const id = Number(words[0])
  if (!Number.isSafeInteger(id)) {
    throw unexpected('daytwo token remove', words[0] ?? '', 'the ID of a token')
  }
  const action = { atMs: systemClock.nowMs(), by: commandLine(), action: 'token.remove', detail: '{}' } as const
  const removed = { ...action, subject: String(id) }
  if (await withFacts(factsPlace(options), ({ tokens }) => tokens.remove(id, removed))) return 0
  throw inputError(`there is no token ${id}`, '`daytwo token list` lists them')
}

/** `undefined`: all. */
function readClusters(text: string | undefined, role: Role): ClusterSelectors | undefined {
  if (text === undefined) return undefined
  if (role === 'ingest')
    throw inputError('option --clusters: got role ingest, want --cluster: it sends for one cluster')
  const clusters = parseSelectors(text)
  if (clusters !== undefined) return clusters
  throw unexpected('option --clusters', text, SELECTOR_WANTED)
}

/** `undefined`: never. */
function readExpiry(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const afterMs = parseDuration(text)
  if (afterMs !== undefined && afterMs > 0) return nowMs + afterMs
  throw unexpected('option --expires', text, 'a duration above 0, such as 90d or 1y')
}

function readRole(text: string | undefined): Role {
  const role = ROLES.find((known) => known === text)
  if (role !== undefined) return role
  throw unexpected('option --role', text ?? '', `one of ${ROLES.join(', ')}`)
}
