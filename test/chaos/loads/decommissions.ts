import type { DecommissionItem, DecommissionItems } from '../../../src/contract/decommissions.ts'
import type { AuditEntry } from '../../../src/model/audit.ts'
import { until } from '../../support/until.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import type { Load } from './load.ts'
import { sendLogs } from './logs.ts'
import { cdiState } from './objects.ts'

/** Clusters that are declared as switched off, each again and again: declared, withdrawn, declared. */

const CLUSTERS = 4

export class DecommissionLoad implements Load {
  readonly name = 'decommissions'
  readonly ledger = new Ledger()
  readonly pauseMs = 400
  readonly #baseMs: number
  readonly #ids = new Map<number, string>()
  #number = 0

  constructor(baseMs: number) {
    this.#baseMs = baseMs
  }

  async prepare(target: Target): Promise<void> {
    for (let i = 0; i < CLUSTERS; i++) await sendLogs(target, cdiState(clusterAt(i), 1, this.#baseMs))
    for (let i = 0; i < CLUSTERS; i++) {
      await until('the cluster to be known', () =>
        send(target, `/api/fleet/v1/clusters/${clusterAt(i)}`).catch(() => undefined),
      )
    }
  }

  /** Withdraws what was declared of the cluster before, and if it does not know of anything declares it. */
  async step(target: Target): Promise<void> {
    const number = ++this.#number
    const before = number - CLUSTERS
    const id = this.#ids.get(before)
    const isStanding = this.ledger.isAcked(`declared ${before}`) && !this.ledger.isSent(`withdrawn ${before}`)
    if (id !== undefined && isStanding) {
      this.ledger.sent(`withdrawn ${before}`, target.position())
      await send(target, `/api/fleet/v1/decommissions/${id}`, { method: 'DELETE' })
      this.ledger.acked(`withdrawn ${before}`, target.position())
      return
    }
    this.ledger.sent(`declared ${number}`, target.position())
    const json = { clusters: [clusterAt(number)], reason: `declaration ${number}`, by: 'chaos' }
    const text = await send(target, '/api/fleet/v1/decommissions', { json })
    const made = (JSON.parse(text) as DecommissionItems).decommissions
    this.#ids.set(number, made[0]!.id)
    this.ledger.acked(`declared ${number}`, target.position())
  }

  async stored(target: Target, place: number): Promise<Iterable<string>> {
    const { decommissions } = await get<DecommissionItems>(target, '/api/fleet/v1/decommissions')
    return decommissions.flatMap((one) => {
      const number = numberOf(one.reason)
      return [`declared ${number}`, ...(this.#isWithdrawn(one, place) ? [`withdrawn ${number}`] : [])]
    })
  }

  /** A declaration that had no answer is withdrawn by the next one of its cluster. */
  #isWithdrawn({ state, reason }: DecommissionItem, place: number): boolean {
    return state === 'withdrawn' && this.ledger.isSent(`withdrawn ${numberOf(reason)}`, place)
  }

  audited({ action, detail }: AuditEntry): string | undefined {
    if (action !== 'cluster.decommission' && action !== 'cluster.decommission.withdraw') return undefined
    const number = numberOf((JSON.parse(detail) as { readonly reason: string }).reason)
    if (action === 'cluster.decommission') return `declared ${number}`
    return this.ledger.isSent(`withdrawn ${number}`) ? `withdrawn ${number}` : undefined
  }
}

const clusterAt = (number: number): string => `chaos-off-${number % CLUSTERS}`
const numberOf = (reason: string): string => /\d+/.exec(reason)?.[0] ?? reason
