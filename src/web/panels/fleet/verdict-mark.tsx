import type { ReactNode } from 'react'
import type { ReadyClusterItem } from '../../../contract/readiness.ts'
import { Mark, type Look } from '../../ui/marks.tsx'

type Verdict = ReadyClusterItem['verdict']

/** Readiness: a shape, a word and, where it needs attention, a color. */
const LOOKS: Readonly<Record<Verdict, Look & { readonly word: string }>> = {
  ready: { shape: 'check', word: 'ready' },
  at_risk: { shape: 'diamond', tone: 'tone-warning', word: 'at risk' },
  not_recommended: { shape: 'cross', tone: 'tone-critical', word: 'not recommended' },
  unknown: { shape: 'ring', tone: 'quiet', word: 'unknown' },
}

export function VerdictMark({ verdict }: { readonly verdict: Verdict }): ReactNode {
  const { word, ...look } = LOOKS[verdict]
  return <Mark {...look}>{word}</Mark>
}
