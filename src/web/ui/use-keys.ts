import { useEffect, useEffectEvent } from 'react'

/** How long the first key of a sequence waits for the second. */
const SEQUENCE_MS = 1500

/**
 * Runs commands by keys, written as in the cheatsheet. Silent inside inputs of text and open dialogs, and when a modifier is
 * held: those keys belong to the browser, to assistive technology or to the text.
 */
export function useKeys(commands: Readonly<Record<string, () => void>>): void {
  const run = useEffectEvent((command: string) => {
    commands[command]?.()
  })
  const bindings = Object.keys(commands).join('\n')
  useEffect(() => {
    let pending = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || isTakenElsewhere(event)) return
      const key = event.key === 'Escape' ? 'Esc' : event.key
      const step = stepKey(pending, key, bindings.split('\n'))
      pending = step.pending
      clearTimeout(timer)
      timer = setTimeout(() => {
        pending = ''
      }, SEQUENCE_MS)
      if (step.command === undefined) return
      event.preventDefault()
      run(step.command)
    }
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
      clearTimeout(timer)
    }
  }, [bindings])
}

function isTakenElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true
  if (document.querySelector('dialog[open]') !== null) return true
  // Inside a shadow root, as the editor of queries has one, `target` is only its host.
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  )
}

interface KeyStep {
  /** The binding that was completed, when one was. */
  readonly command?: string
  /** The first key of a sequence that has begun. */
  readonly pending: string
}

/**
 * The command of a key press. Pure: the caller passes the returned `pending` with the next key.
 * @param bindings keys as in the cheatsheet: `j`, `/`, `g n`
 */
export function stepKey(pending: string, key: string, bindings: readonly string[]): KeyStep {
  const sequence = pending === '' ? key : `${pending} ${key}`
  if (bindings.includes(sequence)) return { command: sequence, pending: '' }
  if (bindings.some((binding) => binding.startsWith(`${sequence} `))) return { pending: sequence }
  // A broken sequence does not swallow a key that means something by itself.
  return pending === '' ? { pending: '' } : stepKey('', key, bindings)
}
