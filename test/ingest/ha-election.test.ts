import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { delivered, electionResultOf, type Election } from '../../src/ingest/ha-election.ts'

const AFTER_MS = 30_000

/** Who may write of those that come in turn: each entry is a replica and how long after the one before it comes. */
function play(turns: readonly (readonly [replica: string, afterMs: number])[]) {
  let election: Election | undefined
  let nowMs = 1_000_000
  return turns.map(([replica, afterMs]) => {
    nowMs += afterMs
    const before = election
    const result = electionResultOf(before, replica, nowMs, AFTER_MS)
    if (result !== 'standby') election = delivered(before, replica, nowMs, AFTER_MS)
    return { replica, nowMs, result, before, election }
  })
}

describe('an election', () => {
  test.each([
    ['the first to come is elected', 'a+0', 'first'],
    ['the other stands by', 'a+0 b+1', 'first standby'],
    ['the elected goes on', 'a+0 b+1 a+9 b+9', 'first standby elected standby'],
    ['a standby waits out the window', 'a+0 b+29999', 'first standby'],
    ['and takes over at its end', 'a+0 b+30000', 'first failover'],
    ['the old one stands by when it is back', 'a+0 b+30000 a+1 b+1', 'first failover standby elected'],
    ['being heard starts the window anew', 'a+0 a+20000 b+20000 b+10000', 'first elected standby failover'],
    ['being heard as standby does not', 'a+0 b+20000 b+10000', 'first standby failover'],
    ['nobody else: silence ends no term', 'a+0 a+99999', 'first elected'],
    ['a clock that is put back elects nobody', 'a+0 b+-90000 b+1 a+90029 b+1', 'first standby standby elected standby'],
    ['of three, the first to come after the window', 'a+0 b+1 c+30000 b+1', 'first standby failover standby'],
  ])('%s: %s', (_, script, want) => {
    const turns = script.split(' ').map((turn) => {
      const [replica = '', afterMs = ''] = turn.split('+')
      return [replica, Number(afterMs)] as const
    })
    const got = play(turns).map(({ result }) => result)
    expect(got.join(' ')).toBe(want)
  })
})

describe('whatever comes', () => {
  const turn = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.nat(AFTER_MS), fc.nat(4 * AFTER_MS)))
  const turns = fc.array(turn, { minLength: 1, maxLength: 60 })

  test('one replica writes until it was silent for the window, and none is silent that long and kept', () => {
    fc.assert(
      fc.property(turns, (script) => {
        let writer: string | undefined
        let heardMs = 0
        for (const { replica, nowMs, result, election } of play(script)) {
          const isFree = writer === undefined || nowMs - heardMs >= AFTER_MS
          expect(result !== 'standby').toBe(replica === writer || isFree)
          if (result !== 'standby') {
            writer = replica
            heardMs = nowMs
          }
          expect(election).toMatchObject({ replica: writer, heardMs })
        }
      }),
    )
  })

  test('terms are counted, and a term starts when its replica is first heard in it', () => {
    fc.assert(
      fc.property(turns, (script) => {
        const played = play(script)
        const writers = played.filter(({ result }) => result !== 'standby')
        const changes = writers.filter(({ replica }, i) => i > 0 && replica !== writers[i - 1]!.replica)
        const last = played.at(-1)?.election
        expect(last?.failovers).toBe(changes.length)
        expect(last?.sinceMs).toBe((changes.at(-1) ?? writers[0])?.nowMs)
      }),
    )
  })

  test('a delivery of a standby changes nothing', () => {
    fc.assert(
      fc.property(turns, (script) => {
        for (const { replica, nowMs, result, before } of play(script)) {
          if (result === 'standby') expect(delivered(before, replica, nowMs, AFTER_MS)).toBe(before)
        }
      }),
    )
  })
})
