/** The last verdicts, for a short time: a page and the update graph request the same ones, of a fleet that has not changed. */
import type { Rollouts } from './rollouts.ts'

const REMEMBERED_MS = 30_000
const REMEMBERED_MAX = 10

export type RolloutMemo = (key: string, nowMs: number, compute: () => Promise<Rollouts>) => Promise<Rollouts>

/** A key names all that verdicts depend on besides the time. A failure is not remembered. */
export function createRolloutMemo(): RolloutMemo {
  const known = new Map<string, { readonly madeMs: number; readonly found: Promise<Rollouts> }>()
  return (key, nowMs, compute) => {
    const last = known.get(key)
    if (last !== undefined && Math.abs(nowMs - last.madeMs) < REMEMBERED_MS) return last.found
    const found = compute()
    known.delete(key)
    known.set(key, { madeMs: nowMs, found })
    for (const oldest of known.keys()) if (known.size > REMEMBERED_MAX) known.delete(oldest)
    found.catch(() => {
      if (known.get(key)?.found === found) known.delete(key)
    })
    return found
  }
}
