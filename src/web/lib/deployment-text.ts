import type { Now } from '../../contract/now.ts'

/** Texts about what several processes share. Short: they are loaded with the first screen, and the runbooks have the rest. Pure. */

export interface DeploymentNotice {
  readonly title: string
  readonly text: string
  /** The alert whose runbook has the steps; absent: an option is missing. */
  readonly runbook?: string
}

export function deploymentNotices(faults: NonNullable<Now['faults']>): DeploymentNotice[] {
  const { metricsStore, postgres, silentProcesses, apart } = faults
  const notices: DeploymentNotice[] = []
  const add = (title: string, text: string, runbook?: string): void => {
    notices.push({ title, text, ...(runbook && { runbook: `Daytwo${runbook}` }) })
  }
  const answers = 'does not answer this server.'
  if (postgres) {
    add(`PostgreSQL ${answers}`, `No rules, no notifications. Cause: ${postgres.message}.`, 'PostgresUnavailable')
  }
  if (metricsStore !== null) {
    add(`The metrics store ${answers}`, `Queries and rules fail. Cause: ${metricsStore}.`, 'MetricsStoreUnavailable')
  }
  if (silentProcesses.length > 0) {
    const names = silentProcesses.map(({ name, lagSamples }) =>
      lagSamples ? `${name} (${lagSamples} samples not forwarded)` : name,
    )
    add('A process has stopped.', `No heartbeat from ${names.join(', ')}.`, 'ProcessMissing')
  }
  if (apart.length > 0) {
    add('Samples of other processes are missing.', `Not here: ${apart.join(', ')}. Set store.metrics.`)
  }
  return notices
}
