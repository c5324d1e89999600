import { startPrometheus } from '../support/prometheus.ts'
import { startVictoriaMetrics } from '../support/victoria-metrics.ts'
import type { PushdownTarget } from './pushdown.ts'

/** A real store that starts empty. */
export interface RunningTarget extends PushdownTarget {
  stop(): Promise<void>
}

/** The programs of the stores, by the name that Debian gives them. */
export const TARGETS: Readonly<Record<'prometheus' | 'victoria-metrics', (path: string) => Promise<RunningTarget>>> = {
  prometheus: async (path) => {
    const options = { path, targets: [], isReceiver: true, isOfLongAgo: true, hasNativeHistograms: true }
    const { url, stop } = await startPrometheus(options)
    return { url, stop, hasHistograms: true, flush: () => Promise.resolve() }
  },
  'victoria-metrics': async (path) => {
    const { url, stop, flush } = await startVictoriaMetrics(path)
    return { url, stop, hasHistograms: false, flush }
  },
}
