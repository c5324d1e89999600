import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** How the editor looks: colours are those of tokens.css, and the parts of a query differ as in `promql-text.tsx`. */

export const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.operatorKeyword, tags.function(tags.variableName)], fontWeight: '600' },
  { tag: [tags.modifier, tags.logicOperator], fontStyle: 'italic' },
  { tag: [tags.string, tags.labelName, tags.comment], color: 'var(--dt-text-quiet)' },
  { tag: tags.number, fontWeight: '600' },
])

const EDITOR_HEIGHT_MAX = '14rem'

export const EDITOR_THEME = EditorView.theme({
  '&': {
    color: 'var(--dt-text)',
    backgroundColor: 'transparent',
    fontSize: '0.875rem',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--dt-mono)',
    lineHeight: '1.5',
    maxHeight: EDITOR_HEIGHT_MAX,
  },
  '.cm-content': { padding: '0.375rem 0', caretColor: 'var(--dt-text)' },
  '.cm-line': { padding: '0 0.625rem' },
  '.cm-placeholder': { color: 'var(--dt-text-quiet)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--dt-selected)',
    outline: '1px solid var(--dt-line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent' },
  '.cm-shown-part': { backgroundColor: 'var(--dt-selected)', boxShadow: 'inset 0 -2px var(--dt-text)' },
  // The library's own underline is a picture in an address, which the page's security policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--dt-critical-text)',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    zIndex: '40',
    border: '1px solid var(--dt-line-strong)',
    borderRadius: '0.375rem',
    backgroundColor: 'var(--dt-surface-raised)',
    color: 'var(--dt-text)',
    boxShadow: '0 0.25rem 0.75rem rgb(0 0 0 / 15%)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--dt-mono)',
    fontSize: '0.8125rem',
    maxHeight: '16rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.1875rem 0.625rem', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--dt-selected)',
    color: 'var(--dt-text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { marginLeft: '1rem', fontStyle: 'normal', color: 'var(--dt-text-quiet)' },
  '.cm-tooltip.cm-completionInfo': {
    maxWidth: '24rem',
    padding: '0.375rem 0.625rem',
    fontFamily: 'var(--dt-font)',
    fontSize: '0.8125rem',
  },
  '.cm-diagnostic': { padding: '0.25rem 0.625rem', fontSize: '0.8125rem' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--dt-critical-text)' },
})
