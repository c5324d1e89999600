import { isWithin } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { failingOperandOf } from './failing-operand.ts'
import { finite } from './objects/sim-object.ts'
import type { SignalSeries } from './signal-series.ts'

/** CDI, network and SSP say each of itself whether it is ready; an upgrade without trouble does not change that. */
export function operandSeries({ upgrades }: ClusterHistory): readonly SignalSeries[] {
  const failing = upgrades.flatMap((upgrade) => failingOperandOf(upgrade) ?? [])
  return (['cdi', 'network-addons', 'ssp'] as const).map((component) => {
    const windows = failing.filter((window) => window.component === component)
    return {
      ...{ signal: 'operand_ready', labels: { component } },
      momentsMs: finite(windows.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
      valueAt: (timeMs) => Number(!windows.some((window) => isWithin(window, timeMs))),
    }
  })
}
