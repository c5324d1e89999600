import type { ReactNode } from 'react'
import type { Mark, Tone } from '../lib/dashboards/tone.ts'
import { Shape } from './shapes.tsx'
import type { ShapeName } from './shapes.tsx'

const SHAPES: Readonly<Record<Exclude<Tone, 'none'>, ShapeName>> = {
  good: 'check',
  warning: 'diamond',
  critical: 'triangle',
}

/** The threshold a value has reached: a shape and words, in its colour. Nothing where nothing is to be said. */
export function ToneMark({ mark: { tone, word } }: { readonly mark: Mark }): ReactNode {
  if (tone === 'none' && word === '') return null
  return (
    <span className={`tone-mark tone-text-${tone}`}>
      {tone === 'none' ? null : <Shape name={SHAPES[tone]} />}
      {word === '' ? null : <span>{word}</span>}
    </span>
  )
}
