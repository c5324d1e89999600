import type { ReactNode } from 'react'
import type { Mark, Tone } from '../lib/dashboards/tone.ts'
import { Shape, type ShapeName } from './shapes.tsx'
import { classNames } from './class-names.ts'

const SHAPES: Readonly<Record<Exclude<Tone, 'none'>, ShapeName>> = {
  good: 'check',
  warning: 'diamond',
  critical: 'triangle',
}

/** The class of text in the colour of a tone. */
export function toneText(tone: Tone): string | false {
  return tone !== 'none' && `tone-${tone}`
}

/** The class of a surface in the colour of a tone. */
export function toneWash(tone: Tone): string | false {
  return tone !== 'none' && `wash-${tone}`
}

/** The threshold a value has reached: a shape and words, in its colour. Nothing where nothing is to be said. */
export function ToneMark({ mark: { tone, word } }: { readonly mark: Mark }): ReactNode {
  if (tone === 'none' && word === '') return null
  return (
    <span className={classNames('mark text-tiny', toneText(tone))}>
      {tone === 'none' ? null : <Shape name={SHAPES[tone]} />}
      {word === '' ? null : <span>{word}</span>}
    </span>
  )
}
