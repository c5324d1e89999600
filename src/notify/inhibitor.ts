/**
 * Inhibition: an alert is not sent while another alert fires that inhibits it. Sources are found by the values of their
 * `equal` labels, so a query does not visit all alerts.
 */
import type { Labels } from '../model/labels.ts'
import { compileMatchers } from '../model/matcher-text.ts'
import type { Matcher } from '../model/matcher.ts'

export interface InhibitRule {
  readonly sourceMatchers: readonly Matcher[]
  readonly targetMatchers: readonly Matcher[]
  /** Labels that must have the same value on both sides; a label that is absent on both counts as equal. */
  readonly equal: readonly string[]
}

interface CompiledRule {
  readonly isSource: (labels: Labels) => boolean
  readonly isTarget: (labels: Labels) => boolean
  readonly equal: readonly string[]
  /** Firing sources by the values of the `equal` labels; true where the source is a target too. */
  readonly sources: Map<string, Map<string, boolean>>
}

/** Alertmanager names one. */
const SHOWN_MAX = 10

export class Inhibitor {
  readonly #rules: readonly CompiledRule[]

  constructor(rules: readonly InhibitRule[]) {
    this.#rules = rules.map(({ sourceMatchers, targetMatchers, equal }) => ({
      isSource: compileMatchers(sourceMatchers),
      isTarget: compileMatchers(targetMatchers),
      equal,
      sources: new Map(),
    }))
  }

  /** The alert starts to fire. */
  add(fingerprint: string, labels: Labels): void {
    for (const rule of this.#rules) {
      if (!rule.isSource(labels)) continue
      const key = valuesOf(rule.equal, labels)
      const sources = rule.sources.get(key) ?? new Map<string, boolean>()
      rule.sources.set(key, sources.set(fingerprint, rule.isTarget(labels)))
    }
  }

  /** The alert no longer fires. */
  remove(fingerprint: string, labels: Labels): void {
    for (const rule of this.#rules) {
      const key = valuesOf(rule.equal, labels)
      const sources = rule.sources.get(key)
      if (sources?.delete(fingerprint) === true && sources.size === 0) rule.sources.delete(key)
    }
  }

  /**
   * Fingerprints of the firing alerts that inhibit one with these labels, each once; of many the first ones: 10,000 alerts may
   * inhibit 10,000 others.
   */
  inhibitedBy(labels: Labels): readonly string[] {
    const found = new Set<string>()
    for (const rule of this.#rules) {
      if (!rule.isTarget(labels)) continue
      const sources = rule.sources.get(valuesOf(rule.equal, labels))
      if (sources === undefined) continue
      // Two alerts that match both sides would inhibit each other, and neither would be sent.
      const isSource = rule.isSource(labels)
      for (const [fingerprint, isTarget] of sources) {
        if (!(isSource && isTarget)) found.add(fingerprint)
        if (found.size === SHOWN_MAX) return [...found]
      }
    }
    return [...found]
  }
}

function valuesOf(names: readonly string[], labels: Labels): string {
  return names.map((name) => labels.get(name)).join('\u0000')
}
