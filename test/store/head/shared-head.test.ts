import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { SharedHead, type IndexMessage } from '../../../src/store/head/shared-head.ts'
import type { StoreMessage } from '../../../src/store/head/share.ts'
import { TempStore } from '../temp-store.ts'

test('series that are removed during a read are released after it, and those that follow them too', () => {
  const { port1, port2 } = new MessageChannel()
  const received: string[] = []
  const share = { ...new TempStore().writer.share(), port: port2 }
  const head = new SharedHead(share, { received: (message: IndexMessage) => received.push(message.kind) })
  const post = (message: StoreMessage): void => {
    port1.postMessage(message)
  }
  const series: StoreMessage = { kind: 'series', pairs: [], series: new Uint32Array() }
  post(series)
  head.pinned(() => {
    expect(received.splice(0)).toEqual(['series'])
    post(series)
    head.receive()
    // Nothing is removed that it could be confused with.
    expect(received.splice(0)).toEqual(['series'])
    post({ kind: 'removed', refs: [1], coldUntilMs: 0 })
    post({ kind: 'histograms', ref: 2 })
    post(series)
    head.receive()
    expect(received.splice(0)).toEqual(['histograms'])
  })
  expect(received).toEqual([])
  post({ kind: 'histograms', ref: 3 })
  head.receive()
  expect(received).toEqual(['removed', 'series', 'histograms'])
  head.close()
  port1.close()
})
