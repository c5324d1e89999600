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
const DECLARED_WITH = ['reason', 'since', 'by'] as const
const PATH = '/api/fleet/v1/decommissions'

export const decommissionCommand: Command = {
  help: () =>
    [
      'Usage: daytwo decommission CLUSTER... --reason TEXT [--since TIME] [--url SERVER]',
      '       daytwo decommission CLUSTER... --undo [--url SERVER]',
      '',
      'Says of clusters that they were switched off for good. From then on they are gone: in no number, list, share or alert',
      'of the fleet, and listed at /fleet/clusters?state=gone. All of them or, when one cannot be, none: a cluster that nobody',
      'knows, or one that was heard after the moment that is named. A cluster that is heard again is back by itself.',
      'Ends with 0, with 1 when the server refuses or does not answer, and with 2 for wrong usage.',
      '',
      '  --reason TEXT\n      Why, for whoever wonders later.',
      '  --since TIME\n      From when on: a duration before now (3d), RFC 3339, or seconds since the epoch. By default now.',
      '  --undo\n      Takes back what was said of them: then they were never gone.',
      '  --by NAME\n      Who says so; only looked at when the server needs no token.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a responder, sent as a Bearer token. A user and password may also stand in the address.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set(['undo']))
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
      'daytwo decommission: got no --reason, want why it was switched off',
      'or --undo, to take back what was said',
    )
  }
  const since = options.get('since')
  const by = options.get('by')
  const request: DecommissionRequest = {
    clusters,
    reason,
    ...(since === undefined ? {} : { since: new Date(timeGiven(since, 'since', systemClock.nowMs())).toISOString() }),
    ...(by === undefined ? {} : { by }),
  }
  return async () => {
    const { decommissions } = await requestOwn<DecommissionItems>(server, 'POST', PATH, request)
    for (const { cluster, since, by } of decommissions) console.log(`${cluster} is gone since ${since}, says ${by}`)
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
    console.log(`${cluster}: taken back. What was said: ${reason}`)
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
      ? `nobody said that ${name} is gone: nothing was heard of it for ${formatDuration(unheardMs)}, and it is back when it is`
      : `nobody said that ${name} is gone, or it was heard again`,
  )
}
