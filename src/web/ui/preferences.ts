import { useSyncExternalStore } from 'react'
import type { Zone } from '../lib/format-time.ts'
import type { Cli } from '../lib/runbook-blocks.ts'
import { sixDigits } from '../lib/palette.ts'
import { isPrinting, onPrinting } from './printing.ts'

/**
 * Personal taste: kept on this machine, never in a link. What a colleague must see too belongs in the URL.
 */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  readonly zone: Zone
  readonly density: 'comfortable' | 'dense'
  readonly cli: Cli
  /** The name under which the reader acknowledges and silences on a server that asks for no token. */
  readonly name: string
}

/** Also read by public/theme.js before the first paint. */
const STORAGE_KEY = 'daytwo.preferences'

const DEFAULTS: Preferences = { theme: 'system', zone: 'local', density: 'comfortable', cli: 'kubectl', name: '' }

type Chosen = Exclude<keyof Preferences, 'name'>

const CHOICES: { readonly [K in Chosen]: readonly Preferences[K][] } = {
  theme: ['system', 'light', 'dark'],
  zone: ['local', 'utc'],
  density: ['comfortable', 'dense'],
  cli: ['kubectl', 'oc'],
}

let current = load()
const listeners = new Set<() => void>()

function load(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}')
    if (typeof kept !== 'object' || kept === null) return DEFAULTS
    const one = <K extends Chosen>(name: K): Preferences[K] =>
      CHOICES[name].find((choice) => choice === (kept as Record<string, unknown>)[name]) ?? DEFAULTS[name]
    const { name } = kept as Record<string, unknown>
    return {
      theme: one('theme'),
      zone: one('zone'),
      density: one('density'),
      cli: one('cli'),
      name: typeof name === 'string' ? name : DEFAULTS.name,
    }
  } catch {
    return DEFAULTS // storage is forbidden, or holds something else
  }
}

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  current = { ...current, [name]: value }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current))
  } catch {
    // Not kept, and that is all: the choice holds until the page is closed.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const forcedColors = matchMedia('(forced-colors: active)')

/**
 * Puts theme and density on the document, where the styles read them. Paper is light. Where the system chooses the colours, the
 * theme is that of its ground, so that the colours of charts fit it.
 */
function applyPreferences(): void {
  const isOfSystem = current.theme === 'system' || forcedColors.matches
  const isDark = !isPrinting() && (isOfSystem ? systemDark.matches : current.theme === 'dark')
  const root = document.documentElement
  root.classList.toggle('theme-dark', isDark)
  root.style.colorScheme = isDark ? 'dark' : 'light'
  root.dataset['density'] = current.density
}

/** Call once at start. */
export function startPreferences(): void {
  const applyAnew = (): void => {
    applyPreferences()
    for (const listener of listeners) listener()
  }
  applyPreferences()
  systemDark.addEventListener('change', applyAnew)
  forcedColors.addEventListener('change', applyAnew)
  onPrinting(applyAnew)
}

/** A color token for a canvas, which cannot read the `light-dark()` that a custom property keeps as it is written. */
export function tokenColor(style: CSSStyleDeclaration, name: string): string {
  const [light = '', dark = light] = style.getPropertyValue(name).match(/#\w+/g) ?? []
  return sixDigits(style.colorScheme === 'dark' ? dark : light)
}

/** Whether the page is dark now; for what is drawn and not styled. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.classList.contains('theme-dark'))
}
