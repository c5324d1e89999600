import { Fragment, type ReactNode } from 'react'
import { promqlTokens } from '../lib/promql-tokens.ts'

const CLASSES: Readonly<Partial<Record<string, string>>> = {
  keyword: 'promql-keyword',
  function: 'text-strong',
  number: 'text-strong',
  string: 'quiet',
  label: 'quiet',
  comment: 'quiet',
}

/** An expression with its parts told apart by weight and shade: a hue has a meaning on these pages. */
export function PromqlText({ expr }: { readonly expr: string }): ReactNode {
  return promqlTokens(expr).map(({ kind, text }, i) =>
    kind === 'plain' ? (
      <Fragment key={i}>{text}</Fragment>
    ) : (
      <span key={i} className={CLASSES[kind]}>
        {text}
      </span>
    ),
  )
}
