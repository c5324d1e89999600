import { limitWords } from './limit-words.ts'

/** Servers say reasons without a capital and a full stop, and something follows here. Pure. */
export function asSentence(reason: string): string {
  const said = limitWords(reason) ?? reason
  const text = said.charAt(0).toUpperCase() + said.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
