/**
 * Which upgrades run now, for marks on alerts: asked for when an alert fires that an upgrade could explain, and not more
 * often than needed. When nobody answers nothing is expected, and the alert pages.
 */
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { expectedMarkOf, mayBeExpected } from '../fleet/alerts/expected-alerts.ts'
import type { HealthyUpgrade } from '../fleet/alerts/healthy-upgrades.ts'
import type { Alert } from '../model/alert.ts'
import type { UpgradeReader } from '../notify/ports.ts'

/** A phase that ends is noticed this much later. */
const REREAD_AFTER_MS = 10_000

export interface UpgradeMarks extends UpgradeReader {
  /** Before each decision; reads only when one of these alerts may be expected. Never rejects. */
  refresh(alerts: readonly Alert[], nowMs: number): Promise<void>
}

export interface UpgradeMarksParts {
  /** Upgrades that get further. */
  readonly upgrades: (nowMs: number) => Promise<readonly HealthyUpgrade[]>
  /** The present name of an alert that had another one. */
  readonly canonicalName: (name: string) => string
  readonly log: Log
}

export function createUpgradeMarks({ upgrades: read, canonicalName, log }: UpgradeMarksParts): UpgradeMarks {
  let upgrades: readonly HealthyUpgrade[] = []
  let readAtMs = -Infinity
  const nameOf = ({ labels }: Alert): string => canonicalName(labels.get('alertname'))
  return {
    expectedFor: (alert) => expectedMarkOf(alert, nameOf(alert), upgrades),
    refresh: async (alerts, nowMs) => {
      if (!alerts.some((alert) => alert.state === 'firing' && mayBeExpected(nameOf(alert)))) {
        upgrades = []
        readAtMs = -Infinity
        return
      }
      if (Math.abs(nowMs - readAtMs) < REREAD_AFTER_MS) return
      readAtMs = nowMs
      try {
        upgrades = await read(nowMs)
      } catch (thrown) {
        upgrades = []
        log.warn({ error: messageOf(thrown) }, 'upgrades could not be read; alerts that one might explain page')
      }
    },
  }
}
