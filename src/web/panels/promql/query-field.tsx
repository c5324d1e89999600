import { useState, type ComponentType, type ReactNode } from 'react'
import { checkQuery, useCompletion } from '../../query/use-completion.ts'
import { valueTo } from '../../ui/form-events.ts'
import { laterPart } from '../../ui/later-part.tsx'
import type { PromqlEditorProps } from '../../ui/promql-editor.tsx'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import { toFailure } from '../../query/fetch-json.ts'
import { prettified } from '../../query/use-query-answers.ts'
import styles from './query-field.module.css'

interface QueryFieldProps {
  readonly label: string
  readonly value: string
  /** Replaces the text each time it is another object. */
  readonly given: { readonly text: string }
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
  readonly mark: TextSpan | undefined
  readonly hasFocus: boolean
}

/** The editor is large and loaded after the page; a plain field replaces it when it fails to load. */
const Editor = laterPart(async (): Promise<ComponentType<PromqlEditorProps>> => {
  try {
    return (await import('../../ui/promql-editor.tsx')).PromqlEditor
  } catch {
    return PlainField
  }
}, PlainField)

/** Where a query is written. */
export function QueryField({ hasFocus, ...props }: QueryFieldProps): ReactNode {
  const completion = useCompletion()
  // Typing that starts before the editor is loaded continues in it.
  const [isTyping, setIsTyping] = useState(hasFocus)
  return (
    <div
      className={`fills ${styles.root}`}
      onFocus={() => {
        setIsTyping(true)
      }}
      onBlur={() => {
        setIsTyping(false)
      }}
    >
      <Editor {...props} completion={completion} check={checkQuery} hasFocus={isTyping} />
    </div>
  )
}

type PlainFieldProps = Pick<PromqlEditorProps, 'label' | 'value' | 'onChange' | 'onRun' | 'hasFocus'>

const ROWS_MAX = 8

function PlainField({ label, value, onChange, onRun, hasFocus = false }: PlainFieldProps): ReactNode {
  return (
    <textarea
      className={styles.plain}
      aria-label={label}
      value={value}
      rows={Math.min(ROWS_MAX, value.split('\n').length)}
      spellCheck={false}
      autoFocus={hasFocus}
      onChange={valueTo(onChange)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
        event.preventDefault()
        onRun(event.currentTarget.value)
      }}
    />
  )
}

interface QueryText {
  readonly typed: string
  /** The last text that was not typed. */
  readonly given: { readonly text: string }
  readonly setTyped: (text: string) => void
  readonly prettify: () => void
  readonly isPrettifying: boolean
  readonly prettyFailure: ReturnType<typeof toFailure> | undefined
}

/** The text of the field; another query in the address replaces it. */
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
