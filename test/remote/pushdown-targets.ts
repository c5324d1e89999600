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
    const running = await startPrometheus(options)
    return { url: running.url, hasHistograms: true, flush: () => Promise.resolve(), stop: () => running.stop() }
  },
  'victoria-metrics': async (path) => {
    const running = await startVictoriaMetrics(path)
    return { url: running.url, hasHistograms: false, flush: () => running.flush(), stop: () => running.stop() }
  },
}
