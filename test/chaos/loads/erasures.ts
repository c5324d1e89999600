import type { ErasureItem, ErasureItems } from '../../../src/contract/erasures.ts'
import { writeBody } from '../../support/remote-write.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import type { Load } from './load.ts'

/** Clusters that send once and are erased then: an erasure that began ends, and leaves no series. */
export class ErasureLoad implements Load {
  readonly name = 'erasures'
  readonly ledger = new Ledger()
  readonly pauseMs = 4000
  readonly #ids = new Map<number, string>()
  #number = 0

  async step(target: Target): Promise<void> {
    const number = ++this.#number
    const cluster = `chaos-erased-${number}`
    const labels = { __name__: 'chaos', cluster }
    const body = writeBody([{ labels, samples: [{ timeMs: 1000, value: 1 }] }])
    await send(target, '/api/v1/write', {
      body,
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
      },
    })
    this.ledger.sent(`begun ${number}`, target.position())
    const text = await send(target, '/api/fleet/v1/erasures', { json: { cluster, confirm: cluster, by: 'chaos' } })
    this.#ids.set(number, (JSON.parse(text) as ErasureItem).id)
    this.ledger.acked(`begun ${number}`, target.position())
  }

  async stored(target: Target): Promise<Iterable<string>> {
    const { erasures } = await get<ErasureItems>(target, '/api/fleet/v1/erasures')
    const numbers = new Map([...this.#ids].map(([number, id]) => [id, number]))
    const keys: string[] = []
    for (const { id, names, state } of erasures) {
      // One that had no answer is known by the name, until that is erased too.
      const named = /\d+$/.exec(names?.[0] ?? '')?.[0]
      const number = numbers.get(id) ?? named
      if (number === undefined) continue
      keys.push(`begun ${number}`)
      if (state !== 'erased') continue
      const form = new URLSearchParams({ 'match[]': `{cluster="chaos-erased-${number}"}`, start: '0' })
      const { data } = await get<{ readonly data: readonly unknown[] }>(target, `/api/v1/series?${form.toString()}`)
      if (data.length > 0) keys.push(`series of ${number}, which was erased`)
    }
    return keys
  }
}
