import type { AlertItem } from '../../../src/contract/alerts.ts'

/** An alert for tests of pure functions: its name is its fingerprint unless `part` says another. */
export function alertItem(name: string, part: Partial<AlertItem> = {}): AlertItem {
  const cluster = part.cluster ?? 'c1'
  return {
    fingerprint: name,
    alertname: name,
    cluster,
    severity: 'warning',
    healthImpact: 'none',
    state: 'firing',
    activeAtMs: 0,
    value: 1,
    annotations: {},
    rule: { group: 'g', file: 'f', expr: 'up == 0', forMs: 0, keepFiringForMs: 0 },
    ...part,
    labels: { alertname: part.alertname ?? name, cluster, ...part.labels },
  }
}
