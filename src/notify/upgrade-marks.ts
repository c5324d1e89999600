/**
 * Marks alerts that a healthy upgrade explains. Upgrades are read only while an alert fires that an upgrade could explain.
 * When they cannot be read, no alert is marked, and the alerts notify.
 */
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Alert } from '../model/alert.ts'
import type { ExpectedMark, UpgradeReader } from './ports.ts'

/** Maximum age of the marks: the end of a phase is noticed this much later. */
const REREAD_AFTER_MS = 10_000

export interface UpgradeMarks extends UpgradeReader {
  /** Call before each decision; reads only when one of these alerts may be expected. Never rejects. */
  refresh(alerts: readonly Alert[], nowMs: number): Promise<void>
}

/** Names are present names of alerts. */
export interface ExpectedAlerts {
  /** Whether any upgrade can explain an alert of this name. */
  mayBeExpected(alertname: string): boolean
  /** The marks of the upgrades that make progress now. */
  read(nowMs: number): Promise<(alert: Alert, alertname: string) => ExpectedMark | undefined>
}

export interface UpgradeMarksParts {
  readonly expectedAlerts: ExpectedAlerts
  /** The present name of an alert, for an old name or the present one. */
  readonly canonicalName: (name: string) => string
  readonly log: Log
}

const NOTHING_EXPECTED = (): undefined => undefined

export function createUpgradeMarks({ expectedAlerts, canonicalName, log }: UpgradeMarksParts): UpgradeMarks {
  let markOf: (alert: Alert, alertname: string) => ExpectedMark | undefined = NOTHING_EXPECTED
  let readAtMs = -Infinity
  const nameOf = ({ labels }: Alert): string => canonicalName(labels.get('alertname'))
  return {
    expectedFor: (alert) => markOf(alert, nameOf(alert)),
    refresh: async (alerts, nowMs) => {
      if (!alerts.some((alert) => alert.state === 'firing' && expectedAlerts.mayBeExpected(nameOf(alert)))) {
        markOf = NOTHING_EXPECTED
        readAtMs = -Infinity
        return
      }
      if (Math.abs(nowMs - readAtMs) < REREAD_AFTER_MS) return
      readAtMs = nowMs
      try {
        markOf = await expectedAlerts.read(nowMs)
      } catch (thrown) {
        markOf = NOTHING_EXPECTED
        log.warn({ error: messageOf(thrown) }, 'upgrades could not be read; alerts that one might explain page')
      }
    },
  }
}
