import { useState } from 'react'
import { toFailure } from '../../query/fetch-json.ts'
import { prettified } from '../../query/use-query-answers.ts'

interface QueryText {
  readonly typed: string
  /** What was written last by something else than the reader's hand. */
  readonly given: { readonly text: string }
  readonly setTyped: (text: string) => void
  readonly prettify: () => void
  readonly isPrettifying: boolean
  readonly prettyFailure: ReturnType<typeof toFailure> | undefined
}

/** What is written, which another query in the address replaces. */
export function useQueryText(expr: string): QueryText {
  const [typed, setTyped] = useState(expr)
  const [given, setGiven] = useState({ text: expr })
  const [seen, setSeen] = useState(expr)
  const [isPrettifying, setIsPrettifying] = useState(false)
  const [prettyFailure, setPrettyFailure] = useState<ReturnType<typeof toFailure> | undefined>()
  const write = (text: string): void => {
    setTyped(text)
    setPrettyFailure(undefined)
  }
  const give = (text: string): void => {
    write(text)
    setGiven({ text })
  }
  if (expr !== seen) {
    setSeen(expr)
    give(expr)
  }
  const prettify = (): void => {
    setIsPrettifying(true)
    prettified(typed)
      .then(give, (thrown: unknown) => {
        setPrettyFailure(toFailure(thrown))
      })
      .finally(() => {
        setIsPrettifying(false)
      })
  }
  return { typed, given, setTyped: write, prettify, isPrettifying, prettyFailure }
}
