import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { auditHash } from '../../../src/model/audit-chain.ts'
import type { AuditedAction } from '../../../src/model/audit.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

const HOUR_MS = 3_600_000

const actionAt = (i: number): AuditedAction => {
  return {
    atMs: NOW_MS + i * HOUR_MS,
    by: `person ${i}`,
    action: 'silence.create',
    subject: `s${i}`,
    detail: '{"a":1}',
  }
}

describeInBoth('audit', (open, database) => {
  /** Entries 1 to `count`. */
  async function audited(count: number) {
    const facts = await open()
    for (let i = 1; i <= count; i++) await facts.audit.add(actionAt(i))
    return { facts, tamper: (change: string) => facts.tamper(change) }
  }

  describe('the chain of the audit', () => {
    test('is sound, and its newest entry is named', async () => {
      const { facts } = await audited(0)
      const silence = { matchers: [], startsAtMs: 1, endsAtMs: 2, updatedAtMs: 1, createdBy: 'ada', comment: '' }
      await facts.silences.write(
        Array.from({ length: 2345 }, (_, i) => {
          return { value: { ...silence, id: `s${i}`, untilResolved: false }, audited: actionAt(i) }
        }),
      )
      const verdict = await facts.audit.verify()
      const [newest] = await facts.audit.list(1)
      expect(verdict).toEqual({ last: { id: 2345, hash: newest!.hash }, entries: 2345, unchained: 0, erased: 0 })
    })

    test.each([
      [`UPDATE audit SET detail = '{"a":2}' WHERE id = 3`, 2, 'entry 3 (silence.create by person 3)'],
      [`UPDATE audit SET by = 'person 4' WHERE id = 3`, 2, 'entry 3 (silence.create by person 4)'],
      [`UPDATE audit SET at_ms = at_ms + 1 WHERE id = 5`, 4, 'entry 5'],
      [`UPDATE audit SET subject = 's' WHERE id = 1`, 0, 'entry 1'],
      [`UPDATE audit SET action = 'silence.burn' WHERE id = 4`, 3, 'entry 4 (silence.burn'],
      [`UPDATE audit SET hash = '' WHERE id = 2`, 1, 'entry 2'],
      [`UPDATE audit SET salt = '' WHERE id = 2`, 1, 'entry 2 (silence.create'],
      [`DELETE FROM audit WHERE id = 3`, 2, 'entry 3 is missing'],
      [`DELETE FROM audit WHERE id IN (2, 3)`, 1, 'entries 2 to 3 are missing'],
      [`DELETE FROM audit WHERE id = 1`, 0, 'entry 1 is missing'],
      [`UPDATE audit SET id = 9 WHERE id = 5`, 4, 'entries 5 to 8 are missing'],
    ])('after %s is broken behind %i entries: %s', async (change, entries, fault) => {
      const { facts, tamper } = await audited(5)
      await tamper(change)
      const verdict = await facts.audit.verify()
      expect(verdict).toMatchObject({ entries, fault: expect.stringContaining(fault) as string })
    })

    test('of which the end was removed is found with the next entry, and at once by who noted the end', async () => {
      const { facts, tamper } = await audited(4)
      const { last } = await facts.audit.verify()
      await tamper('DELETE FROM audit WHERE id >= 3')
      expect((await facts.audit.verify()).fault).toBeUndefined()
      expect((await facts.audit.verify(last)).fault).toBe('entries 3 to 4 are missing at the end')
      await facts.audit.add(actionAt(5))
      expect((await facts.audit.verify()).fault).toBe('entries 3 to 4 are missing')
    })

    test('that was computed again is sound, and not the one that was noted', async () => {
      const { facts, tamper } = await audited(3)
      const { last } = await facts.audit.verify()
      expect((await facts.audit.verify(last)).fault).toBeUndefined()
      await tamper('DELETE FROM audit')
      await tamper(
        database === 'SQLite'
          ? `UPDATE sqlite_sequence SET seq = 0 WHERE name = 'audit'`
          : 'UPDATE audit_last SET id = 0',
      )
      for (const i of [1, 2]) await facts.audit.add(actionAt(i))
      await facts.audit.add({ ...actionAt(3), by: 'mallory' })
      expect((await facts.audit.verify()).fault).toBeUndefined()
      expect((await facts.audit.verify(last)).fault).toContain('entry 3, or one before it, was changed')
      await facts.audit.add(actionAt(4))
      expect((await facts.audit.verify(last)).fault).toContain('entry 3, or one before it, was changed')
    })
  })

  describe('an entry that was erased', () => {
    const BLANK = `UPDATE audit SET action = 'erased', by = '', subject = '', detail = '', salt = '' WHERE id`

    test('leaves no hash with which a guess of its content can be confirmed', async () => {
      const { facts, tamper } = await audited(2)
      const guess = { id: 2, ...actionAt(2) }
      const [second, first] = await facts.audit.list(2)
      expect(second).toEqual({ ...guess, hash: second!.hash })
      await tamper(`${BLANK} = 2`)
      expect(await facts.audit.verify()).toMatchObject({ entries: 2, erased: 1, last: { hash: second!.hash } })
      expect(auditHash(first!.hash, { ...guess, salt: '' })).not.toBe(second!.hash)
    })

    test('is a link of the chain, is counted, and is not listed', async () => {
      const { facts, tamper } = await audited(4)
      const noted = (await facts.audit.verify()).last
      await tamper(`${BLANK} IN (1, 3)`)
      expect(await facts.audit.verify(noted)).toEqual({ entries: 4, unchained: 0, erased: 2, last: noted })
      expect((await facts.audit.list(9)).map(({ id }) => id)).toEqual([4, 2])
      expect((await facts.audit.list(1, 4)).map(({ id }) => id)).toEqual([2])
      await facts.audit.add(actionAt(5))
      expect(await facts.audit.verify(noted)).toMatchObject({ entries: 5, erased: 2 })
    })

    test.each([
      [`UPDATE audit SET hash = '${'0'.repeat(64)}' WHERE id = 3`, 3, 'entry 4'],
      ['DELETE FROM audit WHERE id = 3', 2, 'entry 3 is missing'],
      [`UPDATE audit SET subject = 'x' WHERE id = 3`, 2, 'entry 3 is marked as erased and has content'],
      [`UPDATE audit SET salt = 'x' WHERE id = 3`, 2, 'entry 3 is marked as erased and has content'],
      [`UPDATE audit SET action = 'silence.create' WHERE id = 3`, 2, 'entry 3 (silence.create'],
    ])('after %s is broken behind %i entries: %s', async (change, entries, fault) => {
      const { facts, tamper } = await audited(4)
      await tamper(`${BLANK} = 3`)
      await tamper(change)
      const verdict = await facts.audit.verify()
      expect(verdict).toMatchObject({ entries, fault: expect.stringContaining(fault) as string })
    })
  })

  test('entries from before salts are sound, and those after them continue the chain', async () => {
    const { facts, tamper } = await audited(1)
    const { atMs, by, action, subject, detail } = actionAt(1)
    const content = JSON.stringify(['', 1, atMs, by, action, subject, detail])
    const hash = createHash('sha256').update(content).digest('hex')
    await tamper(`UPDATE audit SET salt = '', hash = '${hash}' WHERE id = 1`)
    await facts.audit.add(actionAt(2))
    expect(await facts.audit.verify({ id: 1, hash })).toMatchObject({ entries: 2, erased: 0 })
  })

  describe('retention of the audit', () => {
    test('removes the oldest entries, and the rest goes on from the last of those', async () => {
      const { facts, tamper } = await audited(6)
      const noted = (await facts.audit.verify()).last
      await facts.audit.prune(NOW_MS + 4 * HOUR_MS)
      expect((await facts.audit.list(9)).map(({ id }) => id)).toEqual([6, 5, 4])
      expect(await facts.audit.verify(noted)).toMatchObject({ entries: 3, last: noted })
      await facts.audit.add(actionAt(7))
      expect(await facts.audit.verify(noted)).toMatchObject({ entries: 4 })
      // Removed by somebody else than the retention.
      await tamper('DELETE FROM audit WHERE id = 4')
      expect((await facts.audit.verify()).fault).toBe('entry 4 is missing')
    })

    test('may remove all of it, and the next entry continues what is gone', async () => {
      const { facts } = await audited(3)
      const noted = (await facts.audit.verify()).last
      await facts.audit.prune(NOW_MS + 99 * HOUR_MS)
      expect(await facts.audit.verify(noted)).toEqual({ entries: 0, unchained: 0, erased: 0, last: noted })
      await facts.audit.add(actionAt(4))
      expect(await facts.audit.verify()).toMatchObject({ entries: 1, last: { id: 4 } })
      expect((await facts.audit.verify({ id: 2, hash: 'ab' })).fault).toContain('entry 2 is older than')
      expect((await facts.audit.verify({ id: 3, hash: 'ab' })).fault).toContain(
        'entry 3, or one before it, was changed',
      )
    })

    test('keeps the order where a clock went back: nothing is removed from the middle', async () => {
      const { facts } = await audited(2)
      await facts.audit.add(actionAt(-5))
      await facts.audit.add(actionAt(3))
      await facts.audit.prune(NOW_MS + HOUR_MS)
      expect((await facts.audit.list(9)).map(({ id }) => id)).toEqual([4, 3, 2, 1])
      await facts.audit.prune(NOW_MS + 3 * HOUR_MS)
      expect((await facts.audit.list(9)).map(({ id }) => id)).toEqual([4])
      expect(await facts.audit.verify()).toMatchObject({ entries: 1 })
    })
  })
})
