import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { linter, type Diagnostic } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { PromQLExtension, type PrometheusClient } from '@prometheus-io/codemirror-promql'
import { remarkOfError } from '../lib/promql/remarks.ts'
import { syntaxFaultOf } from '../lib/promql/selectors.ts'
import { completing, queryKeys, typingOver } from './promql-editor-keys.ts'
import { EDITOR_THEME, HIGHLIGHT } from './promql-editor-theme.ts'
import { showMark, spanMark, type TextSpan } from './promql-editor-mark.ts'

/** What the server finds wrong with a text that the grammar takes, with its place in front; `undefined`: nothing. */
export type CheckQuery = (expr: string, signal?: AbortSignal) => Promise<string | undefined>

export interface PromqlEditorProps {
  readonly label: string
  /** The text to begin with. From then on the editor has it, and tells of it. */
  readonly value: string
  /**
   * A text that stands in place of what is written, each time it is another object. What is typed is not given back: it
   * would come a moment too late, and take the letters of that moment away.
   */
  readonly given: { readonly text: string }
  readonly onChange: (text: string) => void
  /** With what is written at that moment: what `onChange` told may not have been taken up yet. */
  readonly onRun: (text: string) => void
  /** Names to complete with. One editor keeps the first it was given. */
  readonly completion: PrometheusClient
  readonly check: CheckQuery
  /** A part of the text to show: of the plan, or of a remark. */
  readonly mark?: TextSpan | undefined
  /** Takes the focus when it appears, at the end of the text. */
  readonly hasFocus?: boolean
}

/**
 * The text of a query, with completion and with what is wrong in it. It stands in a shadow root: the editor's styles are
 * made by script, and there they are style sheets and no `<style>` element, which the page's security policy forbids.
 */
export function PromqlEditor(props: PromqlEditorProps): ReactNode {
  const { label, value, given, completion, check, mark, hasFocus = false } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const first = useRef({ value, hasFocus })
  const taken = useRef(given)
  const changed = useEffectEvent((text: string) => {
    props.onChange(text)
  })
  const run = useEffectEvent((text: string) => {
    props.onRun(text)
  })
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const { value: doc, hasFocus: takesFocus } = first.current
    const promql = new PromQLExtension().activateLinter(false).setComplete({ remote: completion })
    const editor = new EditorView({
      parent: root,
      state: EditorState.create({
        doc,
        selection: { anchor: doc.length },
        extensions: [
          queryKeys((text) => {
            run(text)
          }),
          typingOver,
          LOOKS,
          completing(),
          promql.asExtension(),
          linter((at) => faultsOf(at.state.doc.toString(), check), { delay: CHECK_DELAY_MS }),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (takesFocus) editor.focus()
    return () => {
      first.current = { value: editor.state.doc.toString(), hasFocus: editor.hasFocus }
      promql.destroy()
      editor.destroy()
    }
  }, [label, completion, check])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || taken.current === given) return
    taken.current = given
    const { text } = given
    if (editor.state.doc.toString() === text) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      selection: { anchor: text.length },
    })
  }, [given])
  useEffect(() => {
    view.current?.dispatch({ effects: showMark.of(mark) })
  }, [mark])
  return <div ref={host} className="promql-editor" data-promql-editor />
}

/** A text that somebody is writing is wrong most of the time. */
const CHECK_DELAY_MS = 600

const LOOKS: Extension = [
  EDITOR_THEME,
  syntaxHighlighting(HIGHLIGHT),
  EditorView.lineWrapping,
  placeholder('PromQL, for example  up == 0'),
  history(),
  bracketMatching(),
  closeBrackets(),
  spanMark,
  keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
]

async function faultsOf(expr: string, check: CheckQuery): Promise<readonly Diagnostic[]> {
  if (expr.trim() === '') return []
  const fault = syntaxFaultOf(expr)
  if (fault !== undefined) {
    const isEnd = expr.slice(fault.from).trim() === ''
    return [diagnostic(expr, fault, isEnd ? 'Incomplete expression.' : 'Unexpected token.')]
  }
  const message = await check(expr)
  if (message === undefined) return []
  const { text, offset = 0 } = remarkOfError(message, expr)
  return [diagnostic(expr, { from: offset, to: endOfWord(expr, offset) }, text)]
}

function diagnostic(expr: string, { from, to }: TextSpan, message: string): Diagnostic {
  // What is missing at the end is shown under the last sign.
  const start = Math.min(from, Math.max(0, expr.trimEnd().length - 1))
  return { from: start, to: Math.max(to, start + 1), severity: 'error', message }
}

function endOfWord(expr: string, offset: number): number {
  return offset + (/^[\w:]+/.exec(expr.slice(offset))?.[0].length ?? 1)
}
