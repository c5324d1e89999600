import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
} from '@codemirror/autocomplete'
import { insertNewlineAndIndent } from '@codemirror/commands'
import { Prec, type Extension, type Transaction } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'

const OPTIONS_DRAWN_MAX = 60

/** Nothing is chosen until somebody chooses: Enter goes on meaning "run", and so nothing is taken by accident. */
export function completing(): Extension {
  return autocompletion({
    selectOnOpen: false,
    interactionDelay: 0,
    icons: false,
    maxRenderedOptions: OPTIONS_DRAWN_MAX,
  })
}

/**
 * Enter runs, or takes the suggestion that is chosen; Shift-Enter writes a line; Tab takes a suggestion when there are
 * some, and leaves the editor otherwise, so that nobody is trapped in it; Esc closes the suggestions, then leaves.
 */
export function queryKeys(run: (text: string) => void): Extension {
  const runs = (view: EditorView): boolean => {
    if (selectedCompletion(view.state) !== null) return acceptCompletion(view)
    closeCompletion(view)
    run(view.state.doc.toString())
    return true
  }
  return Prec.highest(
    keymap.of([
      { key: 'Enter', run: runs },
      { key: 'Mod-Enter', run: runs },
      { key: 'Shift-Enter', run: insertNewlineAndIndent },
      {
        key: 'Tab',
        run: (view) => {
          if (completionStatus(view.state) === null) return false
          takeSuggestion(view)
          return true
        },
      },
      {
        key: 'Escape',
        run: (view) => {
          if (!closeCompletion(view)) view.contentDOM.blur()
          return true
        },
      },
    ]),
  )
}

/** Suggestions may be on their way. */
const FRAMES_MAX = 30

/** The chosen suggestion, or the first. */
function takeSuggestion(view: EditorView, frame = 0): void {
  if (completionStatus(view.state) === 'active') {
    if (selectedCompletion(view.state) === null) moveCompletionSelection(true)(view)
    if (acceptCompletion(view)) return
  }
  if (completionStatus(view.state) === null || frame === FRAMES_MAX) return
  requestAnimationFrame(() => {
    takeSuggestion(view, frame + 1)
  })
}

/**
 * Typing over a selection, done here: a browser would carry the look of the old text over to the new as a `style`
 * attribute, which the page's security policy forbids.
 */
export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data: text } = event
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || text === null || empty || view.composing) return false
    const insert = (): Transaction =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
