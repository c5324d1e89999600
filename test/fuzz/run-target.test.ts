import { expect, test } from 'vitest'
import { runTarget } from './run-target.ts'
import { NOTHING_TO_CLOSE, oneByOne, TEXT, type Target } from './target.ts'

const letters = (claim: (text: string) => void): Target<string> => ({
  name: 'letters',
  claim: 'No text has an x.',
  inputs: { suite: 1, long: 1 },
  batch: 7,
  shares: { short: 0.1 },
  open: () => ({
    make: (random) => Array.from({ length: 20 }, () => 'abcdefgx'[random(8)]).join(''),
    check: oneByOne((text) => {
      claim(text)
      return 'short'
    }),
    ...TEXT,
    ...NOTHING_TO_CLOSE,
  }),
})

const WITHOUT_X = (text: string): void => {
  if (text.includes('x')) throw new Error('it has an x')
}

test('a finding has the smallest input that fails, and how to draw it again', async () => {
  const message = await runTarget(letters(WITHOUT_X), { inputs: 500, seed: 3 }).then(
    () => 'no finding',
    (thrown: unknown) => String(thrown),
  )
  expect(message).toContain('letters: input')
  expect(message).toContain('  input: "x"\n')
  const [, first] = /--seed 3 --first (\d+) --inputs 1$/.exec(message) ?? []
  await expect(runTarget(letters(WITHOUT_X), { inputs: 1, seed: 3, first: Number(first) })).rejects.toThrow('an x')
})

test('findings that are taken are counted, and the run goes on', async () => {
  const findings: string[] = []
  const report = await runTarget(letters(WITHOUT_X), {
    inputs: 70,
    seed: 3,
    onFinding: ({ message }) => findings.push(message),
  })
  expect(findings).toHaveLength(report.findings)
  expect(report.findings).toBeGreaterThan(1)
})

test('a run that is stopped reports what it has checked', async () => {
  let asked = 0
  const isStopped = () => ++asked > 3
  const report = await runTarget(
    letters(() => undefined),
    { inputs: 70, seed: 3, isStopped },
  )
  expect([report.inputs, report.outcomes.get('short')]).toEqual([14, 14])
})

test('inputs follow from the seed', async () => {
  const drawn: string[][] = [[], [], []]
  for (const [i, seed] of [1, 1, 2].entries()) {
    await runTarget(
      letters((text) => drawn[i]!.push(text)),
      { inputs: 50, seed },
    )
  }
  expect(drawn[0]).toEqual(drawn[1])
  expect(drawn[0]).not.toEqual(drawn[2])
})

test('a target whose inputs all end alike is refused', async () => {
  const target = { ...letters(() => undefined), shares: { long: 0.1 } }
  await expect(runTarget(target, { inputs: 100, seed: 1 })).rejects.toThrow(
    'got 0 % long, want at least 10 %: short 100',
  )
})
