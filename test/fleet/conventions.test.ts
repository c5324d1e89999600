import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { spanPath, upgradeSpanId, upgradeTraceId } from '../../src/fleet/trace/trace-ids.ts'
import type { Span } from '../../src/model/span.ts'
import {
  COMMON_ATTRIBUTES,
  ROOT_NAMES,
  UPGRADE_EVENTS,
  UPGRADE_SPANS,
  type ConventionAttribute,
} from '../../src/model/upgrade-convention.ts'
import { upgradeSpanFault } from '../../src/model/validate-upgrade-span.ts'
import { UPGRADE } from '../support/upgrade-record.ts'

const TEXT = readFileSync(resolve(import.meta.dirname, '../../src/fleet/CONVENTIONS.md'), 'utf8')

/** The rows of the first table below a heading, cell by cell. */
function tableOf(heading: string): string[][] {
  const section = TEXT.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`))
  return (section ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]*-[\s|:-]*$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const code = (text: string): string => `\`${text}\``

function rowOf({ key, type, isRequired, oneOf, meaning, example }: ConventionAttribute): string[] {
  const choices = oneOf === undefined ? '' : `: ${oneOf.map(code).join(', ')}`
  return [code(key), type, isRequired ? 'yes' : '', meaning + choices, code(example)]
}

const roots = ROOT_NAMES.map(code).join(', ')

describe('the tables of CONVENTIONS.md are those that spans are checked by', () => {
  test.each([
    ...UPGRADE_SPANS.map(({ name, parent, attributes }) => [parent === '' ? roots : code(name), attributes] as const),
    ...UPGRADE_EVENTS.map(({ name, attributes }) => [code(name), attributes] as const),
    ['any of them', COMMON_ATTRIBUTES] as const,
  ])('%s', (heading, attributes) => {
    expect(tableOf(heading)).toEqual(attributes.map(rowOf))
  })

  test('there is no section about a span that is not checked', () => {
    const headings = [...TEXT.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!)
    const known = new Set([
      roots,
      'any of them',
      ...[...UPGRADE_SPANS, ...UPGRADE_EVENTS].map(({ name }) => code(name)),
    ])
    expect(headings.filter((heading) => !known.has(heading))).toEqual([])
  })

  test('where a span begins and ends is written as the table has it', () => {
    for (const { extent } of UPGRADE_SPANS) expect(TEXT.replace(/\s+/g, ' ')).toContain(extent)
  })
})

test.each(UPGRADE_SPANS)('the examples of `$name` are a span that is taken', ({ name, attributes }) => {
  const value = ({ type, example }: ConventionAttribute): string | number | boolean =>
    type === 'integer' ? Number(example) : type === 'boolean' ? example === 'true' : example
  const span: Span = {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    traceState: '',
    name,
    kind: 'internal',
    startNs: 1n,
    endNs: 2n,
    attributes: [...attributes, ...COMMON_ATTRIBUTES].map((known) => ({ key: known.key, value: value(known) })),
    events: UPGRADE_EVENTS.map((event) => ({
      timeNs: 1n,
      name: event.name,
      attributes: event.attributes.map((known) => ({ key: known.key, value: value(known) })),
    })),
    links: [],
    status: { code: 'unset', message: '' },
    flags: 0,
    resource: { service: 'x', cluster: 'y', attributes: [] },
    scope: { name: 'z', version: '', attributes: [] },
  }
  expect(upgradeSpanFault(span)).toBeUndefined()
  for (const { key, isRequired } of attributes) {
    const without = { ...span, attributes: span.attributes.filter((known) => known.key !== key) }
    const isCommon = COMMON_ATTRIBUTES.some((known) => known.key === key)
    expect({ key, isMissed: upgradeSpanFault(without) !== undefined }).toEqual({ key, isMissed: isRequired })
    expect(isCommon && !isRequired).toBe(false)
  }
})

test('the ids it names are computed as it says', () => {
  const traceId = upgradeTraceId(UPGRADE)
  expect(TEXT).toContain(code(traceId))
  expect(TEXT).toContain(code(upgradeSpanId(traceId, spanPath('upgrade kubevirt-hyperconverged'))))
  expect(TEXT).toContain(code(spanPath('component.upgrade', 'cdi').replace('|', '\\|')))
})
