import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { Replay, ReplayRequest, type ReplayDifference, type ReplayOutcome } from '../../contract/replay.ts'
import type { ReplayAnswer, ReplayedCounts } from '../../rules/replay-request.ts'
import type { ReplayInput } from '../../rules/replay-request.ts'
import { formatValue } from '../prometheus/format-value.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `POST /api/fleet/v1/rules/replay`: evaluates a rule over stored samples and compares it with the loaded one. */

/** Rejects as `replayRules` does; ends soon after the signal was aborted. */
export type RunReplay = (input: ReplayInput, signal?: AbortSignal) => Promise<ReplayAnswer>

/** Each replay keeps the query worker busy for seconds. */
const REPLAYS_MAX = 2

export function registerReplay(app: FastifyInstance, ports: PortsOf<{ readonly replay: RunReplay }>): void {
  let running = 0
  ownRoute(app, 'POST /api/fleet/v1/rules/replay', {
    summary: 'Replay of an alerting rule on stored data.',
    body: ReplayRequest,
    lane: 'query',
    answer: Replay,
    handler: async ({ body, request }) => {
      if (running >= REPLAYS_MAX) {
        throw new FleetError('overloaded', `${running} replays are running; at most ${REPLAYS_MAX} at a time`, {
          hint: 'wait for one of them to end',
        })
      }
      running++
      try {
        return replayView(await ports(request).replay(body, request.left))
      } finally {
        running--
      }
    },
  })
}

function replayView({ present, edited, difference, ...window }: ReplayAnswer): Replay {
  return {
    ...window,
    ...(difference === undefined ? {} : { difference: differenceView(difference) }),
    ...(present === undefined ? {} : { present: outcomeView(present) }),
    ...(edited === undefined ? {} : { edited: outcomeView(edited) }),
  }
}

function differenceView({ isCut, ...difference }: NonNullable<ReplayAnswer['difference']>): ReplayDifference {
  return { ...difference, cut: isCut }
}

function outcomeView({ runs, firingByBlock, ...counts }: ReplayedCounts): ReplayOutcome {
  return {
    ...counts,
    runs: runs.map(({ value, ...run }) => ({ ...run, value: formatValue(value) })),
    firingByBlock,
  }
}
