import { describe, expect, test } from 'vitest'
import type { MetricMetadata } from '../../../src/model/metadata.ts'
import { TempStore } from '../temp-store.ts'

const counter = (help: string): MetricMetadata => ({ type: 'counter', help, unit: '' })

describe('what is said of metrics', () => {
  test('is read by family, the newest first, after the commit and after a restart', async () => {
    const store = new TempStore()
    const say = (family: string, metadata: MetricMetadata) => store.writer.appender.describe(family, metadata)
    expect([say('b_total', counter('One.')), say('a_total', counter('A.')), say('b_total', counter('Two.'))]).toEqual([
      ...[true, true, true],
    ])
    expect(store.reader.metadata()).toEqual([])
    await store.reopen()
    const b = { name: 'b_total', metadata: [counter('Two.'), counter('One.')] }
    expect(store.reader.metadata()).toEqual([{ name: 'a_total', metadata: [counter('A.')] }, b])
    expect(store.reader.metadata('b_total')).toEqual([b])
    expect(store.reader.metadata('c_total')).toEqual([])
    say('b_total', counter('One.'))
    await store.writer.appender.commit()
    expect(store.reader.metadata('b_total')).toEqual([{ ...b, metadata: [counter('One.'), counter('Two.')] }])
  })

  test('again costs no commit', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    appender.describe('m', counter('One.'))
    await appender.commit()
    const { commitsDone } = store.writer.stats()
    appender.describe('m', counter('One.'))
    await appender.commit()
    expect(store.writer.stats().commitsDone).toBe(commitsDone)
  })

  test('of one family is kept eight times, then what was said longest ago goes', async () => {
    const store = new TempStore()
    for (let i = 0; i < 12; i++) store.writer.appender.describe('m', { ...counter(String(i)), unit: String(i) })
    for (let pass = 0; pass < 2; pass++) {
      await store.writer.appender.commit()
      const helps = store.reader.metadata('m')[0]!.metadata.map(({ help }) => help)
      expect(helps).toEqual(['11', '10', '9', '8', '7', '6', '5', '4'])
      await store.reopen()
    }
  })
})
