import { groupBy } from './group-by.ts'
import type { Trace, TraceSpan } from './trace.ts'

/**
 * The critical path of a trace: the span that each moment was spent on. Pure.
 *
 * Definition. Walk back from the end. A moment belongs to the child that ran then; of several, to the one that ended last,
 * back to its start. Where no child ran, the moment is the span's own. The time of a child is divided in the same way among
 * its own children; the extent of a child includes all of its descendants. A moment in which neither a child nor the span
 * itself ran belongs to the nearest running ancestor, and without one to no span (-1): a gap between roots, or before
 * work that outlived its parent.
 *
 * So each moment of the trace belongs to exactly one piece, and the pieces sum to its duration.
 */
export interface PathPiece {
  /** Index in `Trace.spans`; -1: no span. */
  readonly span: number
  readonly fromNs: number
  readonly toNs: number
}

interface Extent {
  readonly fromNs: number
  readonly toNs: number
}

/** By time; neighbours never belong to the same span. */
export function criticalPath({ spans, durationNs }: Pick<Trace, 'spans' | 'durationNs'>): readonly PathPiece[] {
  const extents = extentsOf(spans)
  const children = childrenByEnd(spans, extents)
  const pieces: PathPiece[] = []
  const own = (of: number, fromNs: number, toNs: number): void => {
    addOwn(pieces, spans, { span: of, fromNs, toNs })
  }
  const waiting: PathPiece[] = [{ span: -1, fromNs: 0, toNs: durationNs }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let cursorNs = next.toNs
    for (const child of children.get(next.span) ?? []) {
      const { fromNs, toNs } = extents[child]!
      if (cursorNs <= next.fromNs || toNs <= next.fromNs) break
      if (fromNs >= cursorNs) continue
      if (toNs < cursorNs) own(next.span, toNs, cursorNs)
      const untilNs = Math.min(toNs, cursorNs)
      cursorNs = Math.max(fromNs, next.fromNs)
      waiting.push({ span: child, fromNs: cursorNs, toNs: untilNs })
    }
    if (cursorNs > next.fromNs) own(next.span, next.fromNs, cursorNs)
  }
  return joined(pieces.sort((a, b) => a.fromNs - b.fromNs))
}

/** Time of a span without its children; where the span did not run itself, of the nearest running ancestor. */
function addOwn(pieces: PathPiece[], spans: readonly TraceSpan[], piece: PathPiece): void {
  const waiting = [piece]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const span = spans[next.span]
    if (span === undefined) {
      add(pieces, -1, next.fromNs, next.toNs)
      continue
    }
    const lowNs = Math.min(Math.max(next.fromNs, span.fromNs), next.toNs)
    const highNs = Math.max(Math.min(next.toNs, span.toNs), lowNs)
    add(pieces, next.span, lowNs, highNs)
    if (lowNs > next.fromNs) waiting.push({ span: span.parent, fromNs: next.fromNs, toNs: lowNs })
    if (highNs < next.toNs) waiting.push({ span: span.parent, fromNs: highNs, toNs: next.toNs })
  }
}

function add(pieces: PathPiece[], span: number, fromNs: number, toNs: number): void {
  if (toNs > fromNs) pieces.push({ span, fromNs, toNs })
}

function joined(pieces: readonly PathPiece[]): readonly PathPiece[] {
  const path: PathPiece[] = []
  for (const piece of pieces) {
    const last = path.at(-1)
    if (last?.span === piece.span) path[path.length - 1] = { ...last, toNs: piece.toNs }
    else path.push(piece)
  }
  return path
}

/** From the first start to the last end of each span and its descendants. */
function extentsOf(spans: readonly TraceSpan[]): readonly Extent[] {
  const extents = spans.map(({ fromNs, toNs }) => ({ fromNs, toNs }))
  for (let i = spans.length - 1; i >= 0; i--) {
    const parent = extents[spans[i]!.parent]
    if (parent === undefined) continue
    parent.fromNs = Math.min(parent.fromNs, extents[i]!.fromNs)
    parent.toNs = Math.max(parent.toNs, extents[i]!.toNs)
  }
  return extents
}

/** Latest end first; at a tie the earlier start first. */
function childrenByEnd(
  spans: readonly TraceSpan[],
  extents: readonly Extent[],
): ReadonlyMap<number, readonly number[]> {
  const children = groupBy([...spans.keys()], (i) => spans[i]!.parent)
  for (const siblings of children.values()) {
    siblings.sort((a, b) => extents[b]!.toNs - extents[a]!.toNs || extents[a]!.fromNs - extents[b]!.fromNs || a - b)
  }
  return children
}

/** Nanoseconds of the path by span. */
export function pathNsBySpan(path: readonly PathPiece[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { span, fromNs, toNs } of path) sums.set(span, (sums.get(span) ?? 0) + toNs - fromNs)
  return sums
}
