import { expect, test } from 'vitest'
import { StartedCycle } from '../../../src/fleet/loop/loop-cycle.ts'

function cycleOf(stepMs: number) {
  const clock = { ms: 0, steps: 0 }
  const cycle = new StartedCycle(1000, () => clock.ms)
  const step = (): Promise<boolean> => {
    clock.steps++
    clock.ms += stepMs
    return Promise.resolve(clock.steps < 100)
  }
  return { cycle, clock, step }
}

test('a step is repeated until it has no more work, or the budget is over', async () => {
  const short = cycleOf(1)
  await short.cycle.within(700, short.step)
  expect([short.clock.steps, short.cycle.tookMs]).toEqual([100, 100])
  const long = cycleOf(300)
  await long.cycle.within(700, long.step)
  expect(long.clock.steps).toBe(3)
})

test('what waits on the thread runs between slices', async () => {
  const { cycle, clock, step } = cycleOf(10)
  const atStep: number[] = []
  const query = (): void => {
    atStep.push(clock.steps)
    if (atStep.length < 3) setImmediate(query)
  }
  setImmediate(query)
  await cycle.within(700, step)
  expect(atStep).toEqual([2, 4, 6])
})

test('a stage that throws is a failure of its name, and at most ten failures are reported', async () => {
  const { cycle } = cycleOf(0)
  expect(await cycle.run<number>('metrics', () => Promise.reject(new Error('no disk')))).toBeUndefined()
  expect(await cycle.run('facts', () => Promise.resolve(3))).toBe(3)
  expect(cycle.failures).toEqual([{ subject: 'metrics', error: 'no disk' }])
  for (let i = 0; i < 20; i++) {
    cycle.fail(`c${i}`, 'x')
  }
  expect(cycle.failures).toHaveLength(10)
})
