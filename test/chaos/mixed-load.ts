import type { AuditEntry } from '../../src/model/audit.ts'
import { AlertLoad } from './loads/alerts.ts'
import { DecommissionLoad } from './loads/decommissions.ts'
import { ErasureLoad } from './loads/erasures.ts'
import type { Load } from './loads/load.ts'
import { LogLoad } from './loads/logs.ts'
import { ObjectLoad } from './loads/objects.ts'
import { SampleLoad, type SampleProtocol } from './loads/samples.ts'
import { SilenceLoad } from './loads/silences.ts'
import { SpanLoad } from './loads/spans.ts'
import { TokenLoad } from './loads/tokens.ts'
import { get, NotNow, ServerGone, type Target } from './target.ts'

/** All that a server acknowledges, sent at the same time, and the check that all of it is stored, once. */
export class MixedLoad {
  readonly loads: readonly Load[]
  /** Requests that were answered 429 or 503, by load. */
  readonly notNow = new Map<string, number>()
  readonly #isShared: boolean

  /**
   * @param baseMs a time of the last hours
   * @param sampleMs of the first samples; whole seconds
   * @param isMeant the loads that are sent, by their names; by default all
   * @param isShared several processes answer, in turn
   */
  constructor(baseMs: number, sampleMs = 0, isMeant: (name: string) => boolean = () => true, isShared = false) {
    this.#isShared = isShared
    const samples = (protocol: SampleProtocol, number: number) => new SampleLoad(protocol, number, sampleMs)
    const all: readonly Load[] = [
      ...[samples('write1', 1), samples('write1', 2), samples('write2', 1)],
      ...[samples('otlp', 1), new SpanLoad(baseMs), new LogLoad(baseMs), new ObjectLoad(baseMs)],
      ...[new AlertLoad(baseMs), new SilenceLoad(), new DecommissionLoad(baseMs), new TokenLoad(), new ErasureLoad()],
    ]
    this.loads = all.filter(({ name }) => isMeant(name))
  }

  async prepare(target: Target): Promise<void> {
    for (const load of this.loads) await load.prepare?.(target)
  }

  get ackedCount(): number {
    return this.loads.reduce((sum, { ledger }) => sum + ledger.ackedCount, 0)
  }

  /**
   * Until `isOver`. Rejects for an answer that is no answer to an overload.
   *
   * @param endsWhenGone and when there is no server; false: until it listens again
   */
  async run(target: Target, isOver: () => boolean, endsWhenGone = true): Promise<void> {
    await Promise.all(this.loads.map((load) => this.#run(load, target, isOver, endsWhenGone)))
  }

  async #run(load: Load, target: Target, isOver: () => boolean, endsWhenGone: boolean): Promise<void> {
    while (!isOver()) {
      try {
        await load.step(target)
        if (load.pauseMs > 0) await pause(load.pauseMs)
      } catch (thrown) {
        if (thrown instanceof ServerGone) {
          if (endsWhenGone) return
        } else if (!(thrown instanceof NotNow) && !this.#isNotSeen(thrown)) throw thrown
        this.notNow.set(load.name, (this.notNow.get(load.name) ?? 0) + 1)
        await pause(50)
      }
    }
  }

  /** Of a process that has not read yet what another one wrote within the last second. */
  #isNotSeen(thrown: unknown): boolean {
    return this.#isShared && String(thrown).includes('got 404')
  }

  /** By load. @param place as in `Ledger.faults`; without one everything counts */
  async faults(target: Target, place = Infinity, sentPlace = place): Promise<ReadonlyMap<string, readonly string[]>> {
    const audit = await auditOf(target)
    const found = new Map<string, readonly string[]>()
    for (const load of this.loads) {
      const stored = load.ledger.faults(await load.stored(target, sentPlace), place, sentPlace)
      const audited = load.audited === undefined ? [] : audit.flatMap((entry) => load.audited!(entry) ?? [])
      const isAudited = (key: string): boolean => load.isAudited?.(key) ?? load.audited !== undefined
      const inAudit = load.ledger.faults(audited, place, sentPlace, isAudited)
      found.set(load.name, [...stored, ...inAudit.map((fault) => `audit, ${fault}`)])
    }
    return found
  }

  rollBack(place: number): void {
    for (const { ledger } of this.loads) ledger.rollBack(place)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function auditOf(target: Target): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = []
  for (let cursor = ''; ;) {
    const page = await get<AuditPage>(target, `/api/fleet/v1/audit?limit=1000${cursor}`)
    all.push(...page.entries)
    if (page.nextCursor === undefined) return all
    cursor = `&cursor=${page.nextCursor}`
  }
}

interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly nextCursor?: string
}
