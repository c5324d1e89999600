import { useState, type ComponentType, type ReactNode } from 'react'
import { checkQuery, useCompletion } from '../../query/use-completion.ts'
import { laterPart } from '../../ui/later-part.tsx'
import type { PromqlEditorProps } from '../../ui/promql-editor.tsx'
import type { TextSpan } from '../../ui/promql-editor-mark.ts'
import styles from './query-field.module.css'

interface QueryFieldProps {
  readonly label: string
  readonly value: string
  /** A text in place of what is written, each time it is another object. */
  readonly given: { readonly text: string }
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
  readonly mark: TextSpan | undefined
  readonly hasFocus: boolean
}

/** The editor is large, and comes after the page; when it cannot come, a plain field does as well. */
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
  // Whoever types before the editor is there goes on typing in it.
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
      onChange={(event) => {
        onChange(event.target.value)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
        event.preventDefault()
        onRun(event.currentTarget.value)
      }}
    />
  )
}
