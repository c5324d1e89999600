import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { beatWith, createPulse, PulseWatch } from '../../src/threads/pulse.ts'

test('a thread is silent from its last beat on', () => {
  const pulse = createPulse()
  const watch = new PulseWatch(pulse)
  expect(watch.silentMs(0)).toBe(0)
  expect(watch.silentMs(1000)).toBe(1000)
  expect(watch.silentMs(2500)).toBe(2500)
  Atomics.add(pulse, 0, 1)
  expect(watch.silentMs(3500)).toBe(0)
  expect(watch.silentMs(4500)).toBe(1000)
})

test('a pause of whoever looks is not the silence of the thread', () => {
  const watch = new PulseWatch(createPulse())
  watch.silentMs(0)
  expect(watch.silentMs(3_600_000)).toBe(2000)
  expect(watch.silentMs(3_601_000)).toBe(3000)
})

test('a thread that works through messages beats without its event loop', () => {
  const pulse = createPulse()
  const watch = new PulseWatch(pulse)
  const port = new EventEmitter()
  beatWith(pulse, port)
  watch.silentMs(0)
  expect(watch.silentMs(1000)).toBe(1000)
  port.emit('message', {})
  expect(watch.silentMs(2000)).toBe(0)
})
