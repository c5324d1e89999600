import type { AlertItems } from '../../../src/contract/alerts.ts'
import { fingerprintOf } from '../../../src/model/alert.ts'
import type { AuditEntry } from '../../../src/model/audit.ts'
import { Labels } from '../../../src/model/labels.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import type { Load } from './load.ts'

/** Alerts of others, and what people do with them: of four one is acknowledged, one acknowledged and given back, one removed. */

const CLUSTERS = 20
const HOUR_MS = 3_600_000

function labelsOf(number: number): Record<string, string> {
  const cluster = `chaos-alerts-${number % CLUSTERS}`
  return { alertname: 'Chaos', cluster, number: String(number), severity: 'warning' }
}

const fingerprintAt = (number: number): string => fingerprintOf(Labels.of(labelsOf(number)))

export class AlertLoad implements Load {
  readonly name = 'alerts, acknowledgements'
  readonly ledger = new Ledger()
  readonly pauseMs = 100
  readonly #startsAt: string
  readonly #numbers = new Map<string, number>()
  #posted = 0
  /** The next number to do something with. */
  #handled = 0

  constructor(baseMs: number) {
    this.#startsAt = new Date(baseMs).toISOString()
  }

  async step(target: Target): Promise<void> {
    // In turn: another alert, and something about an earlier one.
    if (this.#posted <= this.#handled + 2) await this.#post(target)
    else await this.#handle(target, ++this.#handled)
  }

  async #post(target: Target): Promise<void> {
    const number = this.#posted + 1
    this.#numbers.set(fingerprintAt(number), number)
    const endsAt = new Date(Date.parse(this.#startsAt) + 48 * HOUR_MS).toISOString()
    this.ledger.sent(`posted ${number}`, target.position())
    await send(target, '/api/v2/alerts', { json: [{ labels: labelsOf(number), startsAt: this.#startsAt, endsAt }] })
    this.ledger.acked(`posted ${number}`, target.position())
    this.#posted++
  }

  async #handle(target: Target, number: number): Promise<void> {
    if (!this.ledger.isAcked(`posted ${number}`)) return
    const fingerprint = fingerprintAt(number)
    const path = `/api/fleet/v1/alerts/${fingerprint}/acknowledge`
    switch (number % 4) {
      case 1:
      case 2: {
        await this.#command(target, `acknowledged ${number}`, () =>
          send(target, path, { json: { note: `alert ${number}`, by: 'chaos' } }),
        )
        if (number % 4 === 1) return
        await this.#command(target, `given back ${number}`, () => send(target, path, { method: 'DELETE' }))
        return
      }
      case 3:
        await this.#command(target, `removed ${number}`, () =>
          send(target, `/api/fleet/v1/external-alerts?fingerprint=${fingerprint}`, { method: 'DELETE' }),
        )
    }
  }

  /** A command without an answer is not repeated: it is known whether it was carried out by looking only. */
  async #command(target: Target, key: string, run: () => Promise<unknown>): Promise<void> {
    this.ledger.sent(key, target.position())
    await run()
    this.ledger.acked(key, target.position())
  }

  async stored(target: Target, place: number): Promise<Iterable<string>> {
    const { alerts } = await get<AlertItems>(target, '/api/fleet/v1/alerts')
    const ours = alerts.filter(({ alertname }) => alertname === 'Chaos')
    const notes = new Map(ours.map(({ labels, marks }) => [labels['number'], marks?.acknowledged?.note]))
    const gone = this.ledger.keys(place).flatMap((key) => {
      const [, what = '', number = ''] = /^(.*) (\d+)$/.exec(key) ?? []
      if (what === 'removed' && !notes.has(number)) return [key, `posted ${number}`]
      if (what === 'given back' && notes.has(number) && notes.get(number) === undefined) {
        return [key, `acknowledged ${number}`]
      }
      return []
    })
    const there = ours.flatMap(({ labels, marks }) => [
      `posted ${labels['number']}`,
      ...(marks?.acknowledged === undefined ? [] : [`acknowledged ${marks.acknowledged.note.replace('alert ', '')}`]),
    ])
    return [...there, ...gone]
  }

  isAudited(key: string): boolean {
    return !key.startsWith('posted')
  }

  audited({ action, subject, detail }: AuditEntry): string | undefined {
    const { fingerprint = subject } = JSON.parse(detail) as { readonly fingerprint?: string }
    const number = this.#numbers.get(fingerprint)
    if (number === undefined) return undefined
    if (action === 'alert.acknowledge') return `acknowledged ${number}`
    if (action === 'alert.unacknowledge') return `given back ${number}`
    return action === 'alert.remove' ? `removed ${number}` : undefined
  }
}
