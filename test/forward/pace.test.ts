import { expect, test } from 'vitest'
import { Pace } from '../../src/forward/pace.ts'
import { FakeClock } from '../support/fake-clock.ts'

async function timesOf(
  samples: number,
  bytes: number,
  portions: readonly (readonly [number, number])[],
): Promise<number[]> {
  const clock = new FakeClock(0)
  const pace = new Pace(clock, { samples, bytes })
  const times: number[] = []
  const taking = (async () => {
    for (const [count, size] of portions) {
      await pace.take(count, size)
      times.push(clock.nowMs())
    }
  })()
  for (let ms = 0; ms < 10_000; ms += 100) {
    await Promise.resolve()
    await Promise.resolve()
    clock.advance(100)
  }
  await taking
  return times
}

test('a portion waits as long as those before it are worth, by the stricter of both limits', async () => {
  expect(
    await timesOf(100, Infinity, [
      [100, 1],
      [50, 1],
      [10, 1],
    ]),
  ).toEqual([0, 1000, 1500])
  expect(
    await timesOf(100, 10, [
      [100, 20],
      [1, 1],
      [1, 1],
    ]),
  ).toEqual([0, 2000, 2100])
  expect(
    await timesOf(Infinity, Infinity, [
      [1e9, 1e9],
      [1, 1],
    ]),
  ).toEqual([0, 0])
})
