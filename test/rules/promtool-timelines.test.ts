import { expect, test } from 'vitest'
import { requirePeer } from '../support/peers.ts'
import { Harness, MINUTE_MS } from './harness.ts'
import { runPromtool } from './promtool.ts'

/** Repeatable noise: the same alerts live the same lives in each run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const MINUTES = 30
const RULES = 40

test('alerts live the same lives in promtool: states, since when, recorded series, what ends', async (context) => {
  const promtool = requirePeer('promtool', context)
  const next = random(7)
  const patterns = Array.from({ length: RULES }, () => {
    // Runs of a few minutes rather than coin tosses, so that `for` and keep_firing_for come to an end.
    let isHeld = next() < 0.5
    return Array.from({ length: MINUTES }, () => {
      if (next() < 0.3) isHeld = !isHeld
      return isHeld ? 1 : 0
    })
  })
  const durations = patterns.map(() => ({
    forSeconds: [0, 60, 90, 180, 300][Math.floor(next() * 5)]!,
    keepSeconds: [0, 60, 90, 240][Math.floor(next() * 4)]!,
  }))
  const rules = [
    { record: 'held', expr: 'm{n="0"} == 1', labels: { via: 'rule', n: '' } },
    ...durations.map(({ forSeconds, keepSeconds }, i) => ({
      alert: `A${i % 7}`,
      expr: `m{n="${i}"} == 1`,
      for: `${forSeconds}s`,
      keep_firing_for: `${keepSeconds}s`,
      labels: { severity: `s${i}`, n: '', val: '{{ if $value }}v{{ $value }}{{ end }}' },
    })),
    { record: 'firing:count', expr: 'count by (alertname) (ALERTS{alertstate="firing"})' },
  ]
  const file = JSON.stringify({ groups: [{ name: 'g', interval: '1m', rules }] })

  const harness = new Harness(file)
  await harness.rules.restore(0)
  const questions = ['ALERTS', 'ALERTS_FOR_STATE', 'held', 'firing:count']
  const expectations: unknown[] = []
  for (let minute = 0; minute < MINUTES; minute++) {
    const nowMs = minute * MINUTE_MS
    patterns.forEach((pattern, n) => {
      harness.put({ __name__: 'm', n: String(n) }, pattern[minute]!, nowMs)
    })
    const report = await harness.evaluate(nowMs)
    expect(report.groups.flatMap(({ errors }) => errors)).toEqual([])
    for (const expr of questions) {
      const lines = await harness.ask(expr, nowMs)
      const samples = lines.map((line) => {
        const [, labels, value] = /^(.*) (\S+)$/.exec(line)!
        return { labels, value: Number(value) }
      })
      expectations.push({ expr, eval_time: `${minute}m`, exp_samples: samples })
    }
  }
  const lives = {
    rule_files: ['r.yaml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: patterns.map((pattern, n) => ({ series: `m{n="${n}"}`, values: pattern.join(' ') })),
        promql_expr_test: expectations,
      },
    ],
  }
  const files = { 'r.yaml': file, 't.yaml': JSON.stringify(lives) }
  const { isGood, output } = runPromtool(promtool, files, ['test', 'rules', 't.yaml'])
  expect(isGood, output.slice(0, 5000)).toBe(true)

  // The comparison is worth something: alerts waited, fired, were kept firing, and changed label sets.
  const asked = JSON.stringify(expectations)
  for (const part of ['pending', 'firing', 'val=\\"v1\\"', 'held{']) expect(asked).toContain(part)
})
