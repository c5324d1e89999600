import { describe, expect, test } from 'vitest'
import type { RuleTests } from '../../src/contract/replay.ts'
import { createRuleTests } from '../../src/runtime/rule-tests.ts'

const RESULT: RuleTests = { tests: [] }

/** Runs that end when the test says so, in order of their start. */
function controlled() {
  const started: { readonly alertname: string; readonly end: (failure?: Error) => void }[] = []
  const run = (alertname: string): Promise<RuleTests> =>
    new Promise((resolve, reject) => {
      const end = (failure?: Error): void => {
        if (failure === undefined) resolve(RESULT)
        else reject(failure)
      }
      started.push({ alertname, end })
    })
  const names = Array.from({ length: 9 }, (_, i) => `Alert${i}`)
  const catalog = { alertNames: names, pages: new Map() }
  return { started, catalog, names, tests: createRuleTests(run, catalog) }
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

describe('unit tests of an alert', () => {
  test('run once for the loaded content, for all who ask', async () => {
    const { started, catalog, tests } = controlled()
    const both = [tests('Alert0'), tests('Alert0')]
    await settled()
    started[0]!.end()
    expect(await Promise.all(both)).toEqual([RESULT, RESULT])
    expect(await tests('Alert0')).toBe(RESULT)
    expect(started).toHaveLength(1)
    catalog.pages = new Map()
    void tests('Alert0')
    await settled()
    expect(started).toHaveLength(2)
  })

  test('are none without a rule, and nothing is started', async () => {
    const { started, tests } = controlled()
    expect(await tests('Alert')).toEqual({ tests: [] })
    expect(started).toEqual([])
  })

  test('run one at a time, four wait, and the next request is refused', async () => {
    const { started, names, tests } = controlled()
    const waiting = names.slice(0, 5).map(tests)
    await settled()
    expect(started.map(({ alertname }) => alertname)).toEqual(['Alert0'])
    expect(() => tests('Alert5')).toThrow(expect.objectContaining({ code: 'overloaded' }))
    started[0]!.end()
    await waiting[0]
    await settled()
    expect(started.map(({ alertname }) => alertname)).toEqual(['Alert0', 'Alert1'])
    void tests('Alert5')
    expect(() => tests('Alert6')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  })

  test('run again after a failure', async () => {
    const { started, tests } = controlled()
    const failed = tests('Alert0')
    await settled()
    started[0]!.end(new Error('thread died'))
    await expect(failed).rejects.toThrow('thread died')
    void tests('Alert0')
    await settled()
    expect(started).toHaveLength(2)
  })
})
