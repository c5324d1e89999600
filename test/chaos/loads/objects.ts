import type { ObjectChangeItems } from '../../../src/contract/fleet-changes.ts'
import { encodeLogsProtobuf, logsOf, objectRecord } from '../../support/otlp-logs.ts'
import { Ledger } from '../ledger.ts'
import { get, type Target } from '../target.ts'
import { inWindows, type Load } from './load.ts'
import { sendLogs } from './logs.ts'

/** The states of one object, one after the other; then those of another cluster's, before there are more than are kept. */

/** Of one page, which is of at most a thousand changes. */
const STEPS_PER_PAGE = 900
const STEPS_PER_CLUSTER = 10 * STEPS_PER_PAGE

const clusterOf = (step: number): string => `chaos-objects-${Math.floor(step / STEPS_PER_CLUSTER)}`

export class ObjectLoad implements Load {
  readonly name = 'object states'
  readonly ledger = new Ledger()
  readonly pauseMs = 0
  readonly #baseMs: number
  #step = 1

  /** @param baseMs each step is a millisecond later */
  constructor(baseMs: number) {
    this.#baseMs = baseMs
  }

  async step(target: Target): Promise<void> {
    const step = this.#step
    this.ledger.sent(`step ${step}`, target.position())
    await sendLogs(target, cdiState(clusterOf(step), step, this.#baseMs + step))
    this.ledger.acked(`step ${step}`, target.position())
    this.#step++
  }

  async stored(target: Target): Promise<Iterable<string>> {
    const changes = await inWindows(this.#step, STEPS_PER_PAGE, async (first) => {
      const [from, to] = [first, first + STEPS_PER_PAGE - 1].map((step) => new Date(this.#baseMs + step).toISOString())
      const form = new URLSearchParams({ from: from!, to: to!, limit: '1000' })
      const path = `/api/fleet/v1/clusters/${clusterOf(first)}/changes?${form.toString()}`
      return (await get<ObjectChangeItems>(target, path).catch(noneOfUnknown)).changes
    })
    return changes.map(({ resourceVersion }) => `step ${resourceVersion}`)
  }
}

/** Without any state there is no cluster. */
function noneOfUnknown(thrown: unknown): Pick<ObjectChangeItems, 'changes'> {
  if (String(thrown).includes('got 404')) return { changes: [] }
  throw thrown
}

/** A request with one state of a cluster's CDI; each version is another state. */
export function cdiState(cluster: string, version: number, observedMs: number): Uint8Array {
  const object = {
    kind: 'CDI',
    metadata: { name: 'cdi', namespace: 'cnv', uid: `cdi-${cluster}`, resourceVersion: String(version) },
    status: { phase: `Phase ${version}` },
  }
  const records = [objectRecord('cdis', object, observedMs, 'MODIFIED')]
  return encodeLogsProtobuf({ resources: [logsOf(records, { 'k8s.cluster.uid': cluster })] })
}
