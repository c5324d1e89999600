/**
 * This process among those that share the facts: its leases, and what others have changed. Every two seconds it gives a sign
 * of life and looks after its leases; what others change is read again at once.
 */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import { ALERTS_LEASE, type DeploymentView, type Lease, type LeaseStore } from '../model/lease.ts'
import type { ProcessReport } from '../model/process-report.ts'
import {
  CHANGE_TOPICS,
  type ChangeListener,
  type ChangeListening,
  type ChangeTopic,
  type StoredChange,
} from '../model/stored-change.ts'
import { measureDeployment, type DeploymentMetrics } from './deployment-metrics.ts'
import { BEAT_EVERY_MS, LIVES_FOR_MS, LeaseHolder, type LeaseChange } from './lease-holder.ts'
import type { LeaseNews, LeaseUpdate } from './owned-leases.ts'

export interface DeploymentParts {
  readonly leases: LeaseStore
  readonly roles: readonly string[]
  readonly listen: (listening: ChangeListening) => Promise<ChangeListener>
  /** What this process reports about itself, without its leases. */
  readonly report: () => Omit<ProcessReport, 'leases'>
  /** Tells the thread that derives and evaluates. */
  readonly exchange: (update: LeaseUpdate) => Promise<LeaseNews | undefined>
  /** Reads again what others have changed. @param subjects absent: all of the topic */
  readonly reread: (topic: ChangeTopic, subjects: readonly string[] | undefined) => Promise<void>
  /** Before this process does what one does for all, and after it does not any more. Rejects when it cannot yet. */
  readonly takeOver: () => Promise<void>
  readonly handOn: () => Promise<void>
  /** A later start of a process of this name has taken its place. */
  readonly onReplaced: () => void
  readonly metrics: DeploymentMetrics
  readonly clock: Clock
  /** Milliseconds that only rise, the same on all threads. */
  readonly stopwatchMs: () => number
  readonly log: Log
}

export class Deployment {
  readonly #parts: DeploymentParts
  readonly #holder: LeaseHolder
  readonly #throttle = new FaultThrottle()
  readonly #registered = new Set<string>()
  readonly #changed = new Map<ChangeTopic, Set<string> | 'all'>()
  #rereading: Promise<void> | undefined
  #gained: Lease[] = []
  #lost: Pick<Lease, 'kind' | 'name'>[] = []
  #groups: readonly string[] = []
  #number = 0
  #isWhole = true
  /** Why the last heartbeat failed. */
  #fault: string | undefined
  #hasTakenOver = false
  #listener: ChangeListener | undefined
  #isListening = false
  #isStopped = false
  #cancel: () => void = () => undefined
  #cancelMeasure: () => void = () => undefined
  #underWay: Promise<void> = Promise.resolve()

  constructor(parts: DeploymentParts) {
    this.#parts = parts
    this.#holder = new LeaseHolder({
      store: parts.leases,
      stopwatchMs: parts.stopwatchMs,
      roles: parts.roles,
      report: parts.report,
      onChange: (change) => {
        this.#note(change)
      },
    })
  }

  /** The lease of what one process does for all: history of alerts, notifications. Absent: another one does, or nobody. */
  get first(): Lease | undefined {
    return this.#hasTakenOver ? this.#holder.lease('alerts', ALERTS_LEASE) : undefined
  }

  /** What is known of all processes. */
  get view(): DeploymentView {
    const unheardMs = this.#parts.stopwatchMs() - this.#holder.heardMs
    const fault = this.#fault ?? (unheardMs < LIVES_FOR_MS ? undefined : 'PostgreSQL does not answer')
    return { processes: this.#holder.processes, unheardMs, ...(fault !== undefined && { fault }) }
  }

  /** Removes a process that will not return. False: there is none of this name that is not running. */
  async forget(name: string): Promise<boolean> {
    const isForgotten = await this.#parts.leases.forget(name)
    if (isForgotten) await this.step()
    return isForgotten
  }

  /** Resolves after the first step. It goes on by itself. */
  async start(): Promise<void> {
    await this.step()
    this.#plan()
    this.#planMeasure()
  }

  /** One step, as every two seconds. */
  step(): Promise<void> {
    this.#underWay = this.#underWay.then(() => (this.#isStopped ? undefined : this.#step()))
    return this.#underWay
  }

  /** Resolves when what others have changed until now is read. */
  async settled(): Promise<void> {
    while (this.#rereading !== undefined) await this.#rereading
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    this.#cancelMeasure()
    await this.#underWay
    await this.#listener?.stop()
    await this.settled()
    await this.#holder.stop().catch(this.#report('giving back leases'))
  }

  /** After `stop`: nothing that others wait for remains in the data folder of this process. */
  async remove(): Promise<void> {
    await this.#parts.leases.remove().catch(this.#report('leaving'))
  }

  #plan(): void {
    if (this.#isStopped) return
    this.#cancel = this.#parts.clock.after(BEAT_EVERY_MS, () => {
      void this.step().then(() => {
        this.#plan()
      })
    })
  }

  /** By itself: a heartbeat may wait for an answer for long. */
  #planMeasure(): void {
    if (this.#isStopped) return
    this.#cancelMeasure = this.#parts.clock.after(BEAT_EVERY_MS, () => {
      this.#measure()
      this.#planMeasure()
    })
  }

  #measure(): void {
    measureDeployment(this.view, this.#holder.leases(), this.#parts.metrics)
  }

  async #step(): Promise<void> {
    const before = this.#holder.isReplaced
    try {
      await this.#holder.step(this.#groups)
      this.#fault = undefined
    } catch (thrown) {
      this.#fault = messageOf(thrown)
      this.#report('looking after leases')(thrown)
    }
    this.#measure()
    if (this.#holder.isReplaced && !before) this.#parts.onReplaced()
    await this.#exchange().catch(this.#report('passing leases on'))
    await this.#look().catch(this.#report('listening to other processes'))
    await this.#takeOver().catch(this.#report('taking over notifications'))
  }

  /** Tells the other thread what changed, and everything when it was started again. */
  async #exchange(): Promise<void> {
    const isWhole = this.#isWhole
    const [gained, lost] = isWhole ? [this.#holder.leases(), []] : [this.#gained, this.#lost]
    this.#gained = []
    this.#lost = []
    this.#isWhole = true
    const update = { number: ++this.#number, isWhole, gained, lost, safeUntilMs: this.#holder.safeUntilMs }
    const news = await this.#parts.exchange(update)
    if (news === undefined) return
    this.#isWhole = !news.isUpToDate
    this.#groups = news.groups
    await this.#holder.register('cluster', news.clusters)
    const fresh = [...news.groups, ALERTS_LEASE].filter((name) => !this.#registered.has(name))
    if (fresh.length === 0) return
    await this.#holder.register('alerts', [ALERTS_LEASE])
    await this.#holder.register('rules', news.groups)
    for (const name of fresh) this.#registered.add(name)
  }

  async #takeOver(): Promise<void> {
    const isHeld = this.#holder.lease('alerts', ALERTS_LEASE) !== undefined
    if (isHeld === this.#hasTakenOver) return
    if (isHeld) await this.#parts.takeOver()
    this.#hasTakenOver = isHeld
    if (!isHeld) await this.#parts.handOn()
  }

  async #look(): Promise<void> {
    if (this.#isListening) {
      await this.#listener?.check()
      return
    }
    this.#listener = await this.#parts.listen({
      onChange: (change) => {
        this.#see(change)
      },
      onListening: () => {
        this.#isListening = true
        for (const topic of CHANGE_TOPICS) this.#see({ topic })
      },
      onEnd: () => {
        this.#isListening = false
        // At once: what changes meanwhile is only seen afterwards.
        if (!this.#isStopped) void this.step()
      },
    })
  }

  #note({ gained, lost }: LeaseChange): void {
    this.#gained.push(...gained)
    this.#lost.push(...lost)
  }

  #see({ topic, subject }: StoredChange): void {
    const known = this.#changed.get(topic) ?? new Set<string>()
    this.#changed.set(topic, subject === undefined || known === 'all' ? 'all' : known.add(subject))
    this.#rereading ??= this.#reread().finally(() => {
      this.#rereading = undefined
    })
  }

  /** One topic after the other, until nothing is left. What changes meanwhile is read once more. */
  async #reread(): Promise<void> {
    for (;;) {
      const next = this.#changed.entries().next().value
      if (next === undefined || this.#isStopped) return
      const [topic, subjects] = next
      this.#changed.delete(topic)
      try {
        await this.#parts.reread(topic, subjects === 'all' ? undefined : [...subjects])
      } catch (thrown) {
        this.#report('reading what other processes changed')(thrown)
        // With the connection its messages are lost too: everything is read when it listens again.
        if (this.#isListening) await new Promise<void>((resolve) => this.#parts.clock.after(BEAT_EVERY_MS, resolve))
        if (this.#isListening) this.#changed.set(topic, 'all')
      }
    }
  }

  #report(what: string): (thrown: unknown) => void {
    return (thrown) => {
      if (!this.#throttle.admits(what, this.#parts.clock.nowMs())) return
      this.#parts.log.error({ error: messageOf(thrown) }, `${what} failed; the server retries`)
    }
  }
}
