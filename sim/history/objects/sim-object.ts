import type { Condition, ObjectFacts } from '../../../src/model/object-facts.ts'
import type { FieldManager } from '../../../src/model/observation.ts'

/**
 * A Kubernetes object over its life, as a pure function of the time. Each of `momentsMs` at which its facts differ from
 * before is a state of its own, with its own resource version.
 */
export interface SimObject {
  readonly uid: string
  readonly name: string
  /** Empty for what has none. */
  readonly namespace: string
  readonly createdMs: number
  /** Deleted at this time; infinity when it stays. */
  readonly goneMs: number
  /** When it may change, in any order, repeats allowed; its creation need not be among them. */
  readonly momentsMs: readonly number[]
  readonly factsAt: (timeMs: number) => ObjectFacts
  /** Who wrote the state that begins at a time; `undefined`, or absent: the writer of its status. */
  readonly writerAt?: (timeMs: number) => FieldManager | undefined
  /** Events end without anybody being told. */
  readonly isForgotten?: boolean
}

/** A stretch over which a condition is other than usual. */
export interface Spell {
  readonly fromMs: number
  readonly untilMs: number
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** A condition as it stands at a time: its transition is the moment its status last flipped, whatever the reasons since. */
export function conditionAt(
  type: string,
  usual: Omit<Spell, 'fromMs' | 'untilMs'>,
  spells: readonly Spell[],
  timeMs: number,
  firstMs: number,
): Condition {
  let status = usual.status
  let lastTransitionMs = firstMs
  let text: Omit<Spell, 'fromMs' | 'untilMs'> = usual
  const turn = (next: Omit<Spell, 'fromMs' | 'untilMs'>, atMs: number): void => {
    if (next.status !== status) lastTransitionMs = atMs
    status = next.status
    text = next
  }
  const past = spells.filter((spell) => spell.fromMs <= timeMs && spell.untilMs > spell.fromMs)
  for (const spell of past.toSorted((a, b) => a.fromMs - b.fromMs)) {
    turn(spell, spell.fromMs)
    // The next spell may begin where this one ends, or before.
    const isFollowed = past.some(
      (other) =>
        other !== spell &&
        other.fromMs <= spell.untilMs &&
        other.untilMs > spell.untilMs &&
        other.fromMs >= spell.fromMs,
    )
    if (spell.untilMs <= timeMs && !isFollowed) turn(usual, spell.untilMs)
  }
  return { type, status, reason: text.reason, message: text.message, lastTransitionMs }
}

/** The last of rising steps at or before a time. */
export function lastAt<T extends { readonly atMs: number }>(steps: readonly T[], timeMs: number): T | undefined {
  return steps.findLast((step) => step.atMs <= timeMs)
}

/** Only times that come. */
export function finite(times: readonly number[]): readonly number[] {
  return times.filter((timeMs) => Number.isFinite(timeMs))
}
