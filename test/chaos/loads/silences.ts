import type { SilenceItem, SilenceItems } from '../../../src/contract/silences.ts'
import type { AuditEntry } from '../../../src/model/audit.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import type { Load } from './load.ts'

/** Silences by both APIs; of five one is changed and one ended. */

const HOUR_MS = 3_600_000

export class SilenceLoad implements Load {
  readonly name = 'silences'
  readonly ledger = new Ledger()
  readonly pauseMs = 15
  readonly #ids = new Map<number, string>()
  #number = 0
  #handled = 0

  async step(target: Target): Promise<void> {
    if (this.#number <= this.#handled + 2) await this.#create(target, ++this.#number)
    else await this.#handle(target, ++this.#handled)
  }

  async #create(target: Target, number: number): Promise<void> {
    const [startsAtMs, endsAtMs] = [Date.now(), Date.now() + 48 * HOUR_MS]
    const comment = `silence ${number}`
    this.ledger.sent(`created ${number}`, target.position())
    if (number % 2 === 0) {
      const matchers = [{ name: 'number', value: comment, isRegex: false }]
      const [startsAt, endsAt] = [startsAtMs, endsAtMs].map((ms) => new Date(ms).toISOString())
      const text = await send(target, '/api/v2/silences', {
        json: { matchers, startsAt, endsAt, createdBy: 'chaos', comment },
      })
      this.#ids.set(number, (JSON.parse(text) as { readonly silenceID: string }).silenceID)
    } else {
      const text = await send(target, '/api/fleet/v1/silences', { json: wish(comment, comment, endsAtMs) })
      this.#ids.set(number, (JSON.parse(text) as SilenceItem).id)
    }
    this.ledger.acked(`created ${number}`, target.position())
  }

  async #handle(target: Target, number: number): Promise<void> {
    const id = this.#ids.get(number)
    if (id === undefined || !this.ledger.isAcked(`created ${number}`)) return
    const path = `/api/fleet/v1/silences/${id}`
    if (number % 5 === 1) {
      this.ledger.sent(`changed ${number}`, target.position())
      const json = wish(`silence ${number}`, `silence ${number} changed`, Date.now() + 72 * HOUR_MS)
      await send(target, path, { method: 'PUT', json })
      this.ledger.acked(`changed ${number}`, target.position())
    } else if (number % 5 === 3) {
      this.ledger.sent(`ended ${number}`, target.position())
      await send(target, path, { method: 'DELETE' })
      this.ledger.acked(`ended ${number}`, target.position())
    }
  }

  async stored(target: Target): Promise<Iterable<string>> {
    const { silences } = await get<SilenceItems>(target, '/api/fleet/v1/silences')
    return silences.flatMap(({ comment, state }) => [
      `created ${numberOf(comment)}`,
      ...(comment.endsWith('changed') ? [`changed ${numberOf(comment)}`] : []),
      ...(state === 'expired' ? [`ended ${numberOf(comment)}`] : []),
    ])
  }

  audited({ action, detail }: AuditEntry): string | undefined {
    if (!action.startsWith('silence.')) return undefined
    const number = numberOf((JSON.parse(detail) as { readonly comment: string }).comment)
    if (action === 'silence.create') return `created ${number}`
    return action === 'silence.update' ? `changed ${number}` : `ended ${number}`
  }
}

function wish(value: string, comment: string, endsAtMs: number): object {
  return { matchers: [{ name: 'number', op: '=', value }], endsAtMs, comment, createdBy: 'chaos' }
}

const numberOf = (comment: string): string => /\d+/.exec(comment)?.[0] ?? comment
