/** The phases of a subject on one axis of time, as SVG. Texts stay outside of it: a narrow page does not shrink them. */
import type { TimeRange } from '../../model/time-range.ts'
import type { BundlePhase } from '../content.ts'
import { durationText, timeText } from './format.ts'
import { markup, type Html } from './html.ts'

const WIDTH = 1000
/** A phase of a second in a window of hours is visible. */
const BAR_MIN = 4

export function timeline(phases: readonly BundlePhase[], window: TimeRange, asOfMs: number): Html {
  return markup`<div class="scroll" role="group" aria-label="Phases" tabindex="0">
<table class="timeline">
<caption>Phases from ${timeText(window.fromMs)} to ${timeText(window.toMs)}</caption>
<thead><tr><th scope="col">Phase</th><th scope="col">State</th><th scope="col">Start</th><th scope="col">Duration</th><th scope="col">Timeline</th></tr></thead>
<tbody>
${phases.map((phase) => row(phase, window, asOfMs))}
</tbody>
</table>
</div>`
}

function row(phase: BundlePhase, window: TimeRange, asOfMs: number): Html {
  const { name, state, fromMs, toMs } = phase
  const duration =
    fromMs === undefined
      ? 'unknown'
      : toMs === undefined
        ? state === 'in_progress'
          ? `${durationText(asOfMs - fromMs)}, not ended`
          : 'unknown'
        : durationText(toMs - fromMs)
  return markup`<tr><th scope="row">${name}</th><td>${state.replaceAll('_', ' ')}</td><td>${
    fromMs === undefined ? 'unknown' : timeText(fromMs)
  }</td><td>${duration}</td><td class="lane">${bar(phase, window, asOfMs)}</td></tr>
`
}

function bar({ state, fromMs, toMs }: BundlePhase, window: TimeRange, asOfMs: number): Html {
  if (fromMs === undefined) return markup``
  const place = (ms: number): number => {
    const share = (ms - window.fromMs) / Math.max(1, window.toMs - window.fromMs)
    return Math.round(Math.min(1, Math.max(0, share)) * WIDTH)
  }
  // A phase without an end is drawn as long as it is known to last.
  const from = place(fromMs)
  const width = Math.max(BAR_MIN, place(toMs ?? (state === 'in_progress' ? asOfMs : fromMs)) - from)
  const x = Math.min(from, WIDTH - width)
  return markup`<svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="${WIDTH}" height="10"/><rect class="bar ${
    state === 'failed' ? 'bad' : state === 'in_progress' ? 'open' : 'done'
  }" x="${x}" width="${width}" height="10"/></svg>`
}
