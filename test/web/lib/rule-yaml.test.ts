import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { promDuration, ruleYaml } from '../../../src/web/lib/rule-yaml.ts'

test('a rule as it would stand in a file', () => {
  expect(
    ruleYaml({
      name: 'KubeVirtCRModified',
      expr: 'sum by (cluster) (\n  x\n) > 0',
      forSeconds: 5400,
      keepFiringForSeconds: 0,
      labels: { severity: 'warning' },
      annotations: { summary: '{{ $labels.cluster }}: "x"' },
    }),
  ).toBe(`alert: KubeVirtCRModified
expr: |-
  sum by (cluster) (
    x
  ) > 0
for: 1h30m
labels:
  severity: "warning"
annotations:
  summary: "{{ $labels.cluster }}: \\"x\\""
`)
})

test('an expression that begins deeper than it ends keeps its lines', () => {
  const rule = { name: 'A', forSeconds: 0, keepFiringForSeconds: 0, labels: {}, annotations: {} }
  const expr = '    max(a)\n  -\n    max(b)\n!=\n  0'
  const yaml = ruleYaml({ ...rule, expr })
  expect(yaml).toContain('expr: |2-\n      max(a)\n    -\n')
  expect(parse(yaml)).toMatchObject({ expr })
})

test('what is written is what YAML reads', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[ -~\n]*$/),
    fc.constantFrom('no', '1', ' a', 'a\n\nb', '  a\nb', ' \n a', '   a\n\n b'),
  )
  const names = fc.dictionary(fc.stringMatching(/^[a-z_]{1,5}$/), text, { maxKeys: 3 })
  fc.assert(
    fc.property(text, text, names, (name, expr, labels) => {
      const yaml = ruleYaml({ name, expr, forSeconds: 0, keepFiringForSeconds: 60, labels, annotations: {} })
      const {
        alert,
        expr: read,
        labels: readLabels = {},
        keep_firing_for: keep,
      } = parse(yaml) as Record<string, unknown>
      expect([alert, read, readLabels, keep]).toEqual([name, expr, { ...labels }, '1m'])
    }),
  )
})

describe('durations', () => {
  test.each([
    [0, '0s'],
    [0.5, '500ms'],
    [90, '1m30s'],
    [86_400 + 3600, '1d1h'],
  ])('%d s is %s', (seconds, want) => {
    expect(promDuration(seconds)).toBe(want)
  })
})
