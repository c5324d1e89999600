import type { UiSettings } from '../contract/ui.ts'
import { onSlowAnswer } from './query/fetch-json.ts'

/** As the server knows these pages, and what it counts as a slow panel (ingest/own-pages.ts). */
const APP = 'daytwo-web'
const SLOW_PANEL = 'slow_panel'

/**
 * Sends the page's own loads, errors, timings and slow panels to the server's Faro address, when it has one. The library is fetched only
 * then, and after the page is up; without it the page works the same.
 */
export async function startTelemetry(settings: UiSettings): Promise<void> {
  if (settings.faroUrl === undefined) return
  const { getWebInstrumentations, initializeFaro } = await import('@grafana/faro-web-sdk')
  const faro = initializeFaro({
    url: settings.faroUrl,
    app: { name: APP, version: settings.version },
    instrumentations: getWebInstrumentations({ captureConsole: false }),
  })
  onSlowAnswer(({ path, tookMs }) => {
    faro.api.pushMeasurement({ type: SLOW_PANEL, values: { duration: tookMs } }, { context: { call: path } })
  })
}
