/**
 * Which command a key press means. Pure: the listener keeps `pending`, the first key of a sequence such as `g n`,
 * and gives it back with the next key.
 */
export interface KeyStep {
  /** The binding that was completed, when one was. */
  readonly command?: string
  /** The first key of a sequence that has begun. */
  readonly pending: string
}

/** @param bindings keys as they are written in the cheatsheet: `j`, `/`, `g n` */
export function stepKey(pending: string, key: string, bindings: readonly string[]): KeyStep {
  const sequence = pending === '' ? key : `${pending} ${key}`
  if (bindings.includes(sequence)) return { command: sequence, pending: '' }
  if (bindings.some((binding) => binding.startsWith(`${sequence} `))) return { pending: sequence }
  // A broken sequence does not swallow a key that means something by itself.
  return pending === '' ? { pending: '' } : stepKey('', key, bindings)
}

/** All shortcuts, for the cheatsheet. */
export const SHORTCUTS: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Anywhere',
    keys: [
      ['Ctrl K', 'open the command menu'],
      ['?', 'show this list'],
      ['d', 'comfortable or dense rows'],
      ['p', 'let the page stand still, or go on'],
      ['u', 'show what is new in a list'],
      ['g n', 'go to Now'],
      ['g f', 'go to Fleet'],
      ['g a', 'go to Adoption'],
      ['g l', 'go to Alerts'],
      ['g e', 'go to Explore'],
    ],
  },
  {
    title: 'Fleet',
    keys: [
      ['j', 'next row'],
      ['k', 'previous row'],
      ['Enter', 'open it'],
      ['Esc', 'back to the list'],
      ['/', 'search'],
      ['x', 'select the row'],
    ],
  },
  {
    title: 'Alerts',
    keys: [
      ['j', 'next alert'],
      ['k', 'previous alert'],
      ['Enter', 'open the alert'],
      ['Esc', 'back to the list'],
      ['/', 'search'],
      ['a', 'acknowledge the alert, or those selected'],
      ['s', 'silence the alert, or those selected'],
      ['x', 'select the alert'],
      ['r', 'go to the runbook'],
    ],
  },
  {
    title: 'A trace',
    keys: [
      ['j', 'next span, also f'],
      ['k', 'previous span, also b'],
      ['s', 'a page of spans down'],
      ['w', 'a page of spans up'],
      ['Enter', 'open the span'],
      ['n', 'next error'],
      ['p', 'previous error'],
      ['[', 'close the span, or all'],
      [']', 'open the span, or all'],
      ['/', 'search in the trace'],
      ['Esc', 'close the span, then back to the search'],
    ],
  },
]
