import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'

/** Character offsets: inclusive, exclusive. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** Shows a part of the text, or none. */
export const showMark = StateEffect.define<TextSpan | undefined>()

const MARK = Decoration.mark({ class: 'cm-shown-part' })

/** The part that is shown. It goes when the text changes: then it is another text. */
export const spanMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { docChanged, effects, state }) => {
    for (const effect of effects) {
      if (!effect.is(showMark)) continue
      const { from, to } = effect.value ?? { from: 0, to: 0 }
      const end = Math.min(to, state.doc.length)
      return from < end ? Decoration.set(MARK.range(from, end)) : Decoration.none
    }
    return docChanged ? Decoration.none : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})
