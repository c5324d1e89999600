import type { ReactNode } from 'react'
import { Shape } from './shapes.tsx'

const WORDS = { ok: 'ok', err: 'cannot be evaluated', unknown: 'not evaluated yet' } as const

/** Whether the rule could be evaluated the last time. */
export function RuleHealth({ health }: { readonly health: keyof typeof WORDS }): ReactNode {
  return (
    <span className={`outcome ${health === 'err' ? 'outcome-failed' : 'outcome-plain'}`}>
      {health === 'err' ? <Shape name="cross" /> : null}
      {WORDS[health]}
    </span>
  )
}
