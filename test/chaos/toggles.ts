import type { FakeWebhook } from '../support/fake-webhook.ts'
import { writeBody } from '../support/remote-write.ts'
import { NotNow, send, ServerGone, type Target } from './target.ts'

/**
 * Alerts that are switched on and off by samples of now, and the notifications that a receiver got of them. Samples are sent every
 * second, with all switches, as a cluster sends its state.
 */

const CLUSTER = 'chaos-toggles'
const EVERY_MS = 1000

export interface Switch {
  readonly number: number
  readonly status: 'firing' | 'resolved'
}

export class Toggles {
  readonly #states = new Map<number, boolean>()
  #newest = 0

  /** Until `isOver`; also while there is no answer. */
  async run(target: Target, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const body = this.#body()
      try {
        if (body !== undefined) {
          await send(target, '/api/v1/write', {
            body,
            headers: {
              'content-type': 'application/x-protobuf',
              'content-encoding': 'snappy',
              'x-prometheus-remote-write-version': '0.1.0',
            },
          })
        }
      } catch (thrown) {
        if (!(thrown instanceof ServerGone || thrown instanceof NotNow)) throw thrown
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
  }

  /** Switches another one on. */
  on(): Switch {
    const number = ++this.#newest
    this.#states.set(number, true)
    return { number, status: 'firing' }
  }

  /** Switches the oldest one off that is on and was notified: one that nobody evaluated meanwhile does not fire. */
  off(webhook: FakeWebhook): Switch | undefined {
    const isSeen = (number: number): boolean => arrivals(webhook, { number, status: 'firing' }).length > 0
    const number = [...this.#states].find(([one, isOn]) => isOn && isSeen(one))?.[0]
    if (number === undefined) return undefined
    this.#states.set(number, false)
    return { number, status: 'resolved' }
  }

  #body(): Uint8Array | undefined {
    if (this.#states.size === 0) return undefined
    const timeMs = Date.now()
    return writeBody(
      [...this.#states].map(([number, isOn]) => ({
        labels: { __name__: 'chaos_toggle', cluster: CLUSTER, number: String(number) },
        samples: [{ timeMs, value: isOn ? 1 : 0 }],
      })),
    )
  }
}

/** When notifications of a switch arrived. */
export function arrivals({ messages }: FakeWebhook, { number, status }: Switch): readonly number[] {
  return messages.flatMap(({ atMs, body }) => {
    const { alertname, number: of } = body.commonLabels
    return body.status === status && alertname === 'Toggled' && of === String(number) ? [atMs] : []
  })
}
