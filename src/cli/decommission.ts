/** `daytwo decommission`: declares clusters as decommissioned, or reverts it, through a running server. */
import { systemClock } from '../base/clock.ts'
import type { DecommissionItem, DecommissionItems, DecommissionRequest } from '../contract/decommissions.ts'
import type { ClusterDetail } from '../contract/fleet-clusters.ts'
import { formatDuration } from '../model/duration.ts'
import { inputError, parseArguments, timeGiven } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf, type Server } from './prometheus-client.ts'

const VALUED = new Set(['reason', 'since', 'by', 'url', 'token', 'token-file'])
/** Parameters of a declaration, not of reverting one. */
const DECLARED_WITH = ['reason', 'since', 'by', 'opted-out'] as const
const PATH = '/api/fleet/v1/decommissions'

export const decommissionCommand: Command = {
  help: () =>
    [
      'Usage: daytwo decommission CLUSTER... --reason TEXT [--opted-out] [--since TIME] [--url SERVER]',
      '       daytwo decommission CLUSTER... --undo [--url SERVER]',
      '',
      'Declares clusters decommissioned. From then on they are excluded from all counts, lists, shares and alerts',
      'of the fleet, and listed at /fleet/clusters?state=gone. The command applies to all named clusters or to none: an unknown',
      'cluster, or one that reported after the given time, is an error. A cluster that reports again is active again.',
      'Exit code 0; 1 when the server refuses or does not respond; 2 for wrong usage.',
      '',
      '  --reason TEXT\n      The reason.',
      '  --opted-out\n      The cluster runs, and its owner does not want it to send data. It counts as a decommissioned one does.',
      '  --since TIME\n      From when on: a duration before now (3d), RFC 3339, or seconds since the epoch. By default now.',
      '  --undo\n      Reverts the declaration, as if it had never been made.',
      '  --by NAME\n      The author; used only when the server requires no token.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a responder, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set(['undo', 'opted-out']))
    const clusters = [...new Set(words)]
    if (clusters.length === 0) {
      throw inputError('daytwo decommission: got no cluster, want the name of at least one')
    }
    const isUndone = options.get('undo') === 'true'
    const foreign = isUndone ? DECLARED_WITH.find((name) => options.has(name)) : undefined
    if (foreign !== undefined) {
      throw inputError(`daytwo decommission --undo has no option --${foreign}`)
    }
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    const work = isUndone ? () => undo(server, clusters) : declaration(server, clusters, options)
    try {
      await work()
      return 0
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo decommission: ${thrown.message}`)
      return 1
    }
  },
}

/** Prints the outcome of each cluster as soon as it is known. */
type Work = () => Promise<void>

/** Reads all input before any request is sent. */
function declaration(server: Server, clusters: string[], options: ReadonlyMap<string, string>): Work {
  const reason = options.get('reason')?.trim() ?? ''
  if (reason === '') {
    throw inputError(
      'daytwo decommission: got no --reason, want the reason for the decommissioning',
      'or --undo, to revert the declaration',
    )
  }
  const since = options.get('since')
  const by = options.get('by')
  const request: DecommissionRequest = {
    clusters,
    reason,
    ...(since === undefined ? {} : { since: new Date(timeGiven(since, 'since', systemClock.nowMs())).toISOString() }),
    ...(by === undefined ? {} : { by }),
    ...(options.get('opted-out') === 'true' ? { kind: 'opted_out' } : {}),
  }
  return async () => {
    const { decommissions } = await requestOwn<DecommissionItems>(server, 'POST', PATH, request)
    for (const { cluster, kind, since, by } of decommissions)
      console.log(`${cluster} is ${kind === 'opted_out' ? 'opted out' : kind} since ${since}, declared by ${by}`)
  }
}

/** Looks up all declarations first, so that either all or none are reverted. */
async function undo(server: Server, names: readonly string[]): Promise<void> {
  const { decommissions } = await requestOwn<DecommissionItems>(server, 'GET', PATH)
  const standing = new Map<string, DecommissionItem>()
  for (const name of names) {
    const said = decommissions.find((one) => one.cluster === name && one.state === 'standing')
    const one = said ?? (await declarationOf(server, name))
    standing.set(one.id, one)
  }
  for (const { id } of standing.values()) {
    const { cluster, reason } = await requestOwn<DecommissionItem>(
      server,
      'DELETE',
      `${PATH}/${encodeURIComponent(id)}`,
    )
    console.log(`${cluster}: reverted. The reason was: ${reason}`)
  }
}

/** Also finds a cluster by an alias. Throws `NoAnswer` with the reason when there is no declaration to revert. */
async function declarationOf(server: Server, name: string): Promise<DecommissionItem> {
  const path = `/api/fleet/v1/clusters/${encodeURIComponent(name)}`
  const { gone, decommissions } = await requestOwn<ClusterDetail>(server, 'GET', path)
  const found = decommissions.find(({ state }) => state === 'standing')
  if (found !== undefined) return found
  const unheardMs = (gone?.afterSeconds ?? 0) * 1000
  throw new NoAnswer(
    unheardMs > 0
      ? `${name} was not declared decommissioned: it has sent no data for ${formatDuration(unheardMs)}, and is active again when it reports`
      : `${name} was not declared decommissioned, or it has reported again`,
  )
}
