import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogQuery, LogRecord } from '../../../src/model/log-record.ts'
import { TextTable, writeAttributes } from '../../../src/store/attribute-codec.ts'
import { ByteWriter, MalformedBytesError } from '../../../src/store/bytes.ts'
import { packLogRecord, unpackLogRecord } from '../../../src/store/observations/log-record-codec.ts'
import { SqlLogs } from '../../../src/store/observations/log-record-reader.ts'
import { LogRecords } from '../../../src/store/observations/log-records.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { attributeList } from '../../support/otlp.ts'

const NOW_NS = 1_760_000_000_000_000_000n

const record = (fields: Partial<LogRecord> = {}): LogRecord => ({
  timeNs: NOW_NS,
  cluster: 'prague',
  service: 'hco',
  severity: 9,
  severityText: 'INFO',
  eventName: '',
  body: 'reconciled',
  attributes: [],
  traceId: '',
  spanId: '',
  ...fields,
})

class Kept {
  readonly db = new Database(':memory:')
  readonly logs: LogRecords
  readonly reader: SqlLogs

  constructor() {
    migrate(this.db, ':memory:')
    this.logs = new LogRecords(this.db)
    this.reader = new SqlLogs(this.db)
  }

  put(...records: readonly LogRecord[]): void {
    this.logs.putLogs(records)
    this.db.transaction(() => {
      this.logs.write()
    })()
    this.logs.written()
  }

  async bodies(query: Partial<LogQuery> = {}): Promise<readonly unknown[]> {
    const found = await this.reader.logs({ fromNs: 0n, toNs: NOW_NS * 2n, limit: 100, ...query })
    return found.map(({ body }) => body)
  }
}

describe('a record', () => {
  test('is what it was, and equal ones are kept once', async () => {
    const kept = new Kept()
    const one = record({
      timeNs: NOW_NS + 123_456_789n,
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      body: {
        entries: [
          { key: 'msg', value: 'x'.repeat(300) },
          { key: 'n', value: 2n ** 60n },
        ],
      },
      attributes: [{ key: 'a', value: [1.5, true, undefined, Uint8Array.of(1)] }],
    })
    kept.put(one, one)
    kept.put(one)
    expect(await kept.reader.logs({ fromNs: 0n, toNs: NOW_NS * 2n, limit: 10 })).toEqual([one])
    kept.put({ ...one, severityText: 'Info' })
    expect(await kept.bodies()).toHaveLength(2)
  })

  test('survives its bytes, whatever is in it; broken bytes are malformed', () => {
    const said = fc.record({
      severityText: fc.string(),
      eventName: fc.string(),
      spanId: fc.string(),
      body: attributeList.map((list) => list[0]?.value),
      attributes: attributeList,
    })
    fc.assert(
      fc.property(said, fc.nat(), fc.nat(255), (one, at, byte) => {
        const payload = packLogRecord(one)
        expect(unpackLogRecord(payload)).toEqual(one)
        payload[at % payload.length] = byte
        try {
          unpackLogRecord(payload)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(MalformedBytesError)
        }
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})

describe('a question', () => {
  const kept = new Kept()
  const traceId = '5b8efff798038103d269b633813fc60c'
  kept.put(
    record({ body: 'first', timeNs: NOW_NS }),
    record({ body: 'Second: FAILED', timeNs: NOW_NS + 1n, severity: 17 }),
    record({ body: 'third', timeNs: NOW_NS + 2n, cluster: 'berlin', traceId }),
    record({
      body: { entries: [{ key: 'error', value: 'failed too' }] },
      timeNs: NOW_NS + 3n,
      service: 'cdi',
      severity: 13,
    }),
  )
  const last = { entries: [{ key: 'error', value: 'failed too' }] }

  test.each<[Partial<LogQuery>, readonly unknown[]]>([
    [{}, [last, 'third', 'Second: FAILED', 'first']],
    [{ limit: 2 }, [last, 'third']],
    [{ cluster: 'berlin' }, ['third']],
    [{ service: 'cdi' }, [last]],
    [{ cluster: 'prague', service: 'hco' }, ['Second: FAILED', 'first']],
    [{ cluster: 'nowhere' }, []],
    [{ traceId }, ['third']],
    [{ severityMin: 13 }, [last, 'Second: FAILED']],
    [{ contains: 'failed' }, [last, 'Second: FAILED']],
    [{ contains: 'failed', limit: 1 }, [last]],
    [{ contains: '%' }, []],
    [{ fromNs: NOW_NS + 1n, toNs: NOW_NS + 2n }, ['third', 'Second: FAILED']],
  ])('case %#', async (query, bodies) => {
    expect(await kept.bodies(query)).toEqual(bodies)
  })
})

test('what is older goes, in steps', async () => {
  const kept = new Kept()
  const many = Array.from({ length: 5000 }, (_, i) =>
    record({ body: String(i), timeNs: NOW_NS + BigInt(i) * 1_000_000n }),
  )
  kept.put(...many, record({ service: 'once', timeNs: NOW_NS }))
  const floorMs = Number(NOW_NS / 1_000_000n) + 4998
  let steps = 1
  while (kept.logs.removeSome(floorMs)) steps++
  expect(steps).toBeGreaterThan(2)
  expect(await kept.bodies()).toEqual(['4999', '4998'])
  expect(kept.db.prepare('SELECT service FROM log_source').pluck().all()).toEqual(['hco'])
  kept.put(record({ service: 'once', body: 'again' }))
  expect(await kept.bodies({ service: 'once' })).toEqual(['again'])
})

// Bytes and lists have a method of the name by which a map is known.
test.each([[Uint8Array.of(1)], [['a']]])('a record with attributes that are no map is malformed: %j', (attributes) => {
  const texts = new TextTable()
  const fields = new ByteWriter()
  const values = ['INFO', 'event', '', 'body', attributes]
  writeAttributes(
    fields,
    values.map((value) => ({ key: 'k', value })),
    texts,
  )
  const whole = new ByteWriter()
  texts.write(whole)
  const payload = Buffer.concat([Uint8Array.of(1), whole.take(), fields.take()])
  expect(() => unpackLogRecord(payload)).toThrow(MalformedBytesError)
})
