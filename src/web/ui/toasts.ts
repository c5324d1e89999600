import { useSyncExternalStore } from 'react'

/** What was just done, said once for a short time, with a way back where there is one. */
export interface Toast {
  readonly id: number
  readonly isFailure: boolean
  readonly text: string
  readonly undo?: () => void
}

/** Long enough to read the sentence and find the button. */
const SHOWN_MS = 12_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function replace(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** @param undo takes it back; the toast goes when it is used */
export function sayDone(text: string, undo?: () => void): void {
  say(text, false, undo)
}

/** For what fails after its form is gone; anything else says it where it was asked for. */
export function sayFailed(text: string): void {
  say(text, true)
}

function say(text: string, isFailure: boolean, undo?: () => void): void {
  const id = ++lastId
  replace([...toasts.slice(-2), { id, text, isFailure, ...(undo === undefined ? {} : { undo }) }])
  setTimeout(() => {
    dismissToast(id)
  }, SHOWN_MS)
}

export function dismissToast(id: number): void {
  replace(toasts.filter((toast) => toast.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    () => toasts,
  )
}
