import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clusterPath, upgradePath } from '../../lib/paths.ts'
import { stepText, phaseName, phaseWords } from '../../lib/fleet-names.ts'
import { formatShortLength } from '../../lib/format-time.ts'
import { HEAT_PHASES, type HeatCell, type HeatRow } from '../../lib/phase-heat.ts'
import { classNames } from '../../ui/class-names.ts'
import { Legend } from '../../ui/legend.tsx'
import { StuckMark } from '../../ui/outcome-marks.tsx'
import { Shape } from '../../ui/shapes.tsx'
import styles from './heat-map.module.css'
import { StartedText } from './upgrade-rows.tsx'

/**
 * Upgrades that run as rows, their phases as columns: where each stands, and what takes longer than it does elsewhere. Rows are
 * grids that the browser lays out and paints when they come into sight; roles are said, which a grid takes from a table.
 */
export function HeatMap({ rows }: { readonly rows: readonly HeatRow[] }): ReactNode {
  return (
    <>
      <div className="table-scroll">
        <table role="table" className={classNames('data-table', styles.table)} aria-label="Active upgrades by phase">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">
                Upgrade
              </th>
              {HEAT_PHASES.map((phase) => (
                <th key={phase} role="columnheader" scope="col" className={styles.phase}>
                  {phaseName(phase)}
                </th>
              ))}
              <th role="columnheader" scope="col" className="cell-number">
                Started
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map(({ upgrade, verdict, cells }) => (
              <tr key={upgrade.id} role="row">
                <th role="rowheader" scope="row" className="cell-name touch-links">
                  <Link href={clusterPath(upgrade.cluster)}>{upgrade.cluster}</Link>
                  <span className="own-labels nums">
                    <Link href={upgradePath(upgrade.id)} data-row>
                      {stepText(upgrade)}
                    </Link>{' '}
                    {verdict === undefined ? null : <StuckMark />}
                  </span>
                  {currentPhases(cells).map((text) => (
                    <span key={text} className={classNames('own-labels', styles.inWords)}>
                      {text}
                    </span>
                  ))}
                </th>
                {cells.map((cell) => (
                  <HeatTile key={cell.phase} cell={cell} />
                ))}
                <td role="cell" className="cell-number">
                  <StartedText upgrade={upgrade} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <HeatLegend />
    </>
  )
}

/** The current phases as text, for a screen without room for the tiles. */
function currentPhases(cells: readonly HeatCell[]): readonly string[] {
  const texts = cells.filter(({ state, isStuck }) => state === 'in_progress' || isStuck).map(({ text }) => text)
  return texts.length === 0 ? [phaseWords(null)] : texts
}

const TILE = classNames('row row-nowrap centered no-wrap text-small keeps-color', styles.tile)

function HeatTile({ cell }: { readonly cell: HeatCell }): ReactNode {
  const { state, seconds, level, isStuck, text } = cell
  const isRunning = state === 'in_progress'
  const className = classNames(TILE, styles[`level-${level}`], isRunning && styles.running, isStuck && styles.stuck)
  return (
    <td role="cell" className={styles.phase} title={text}>
      <span role="img" aria-label={text} className={className}>
        {isStuck ? <Shape name="triangle" /> : state === 'failed' ? <Shape name="cross" /> : null}
        <span className="nums">{seconds === undefined ? SIGNS[state] : formatShortLength(seconds)}</span>
      </span>
    </td>
  )
}

const SIGNS: Readonly<Record<HeatCell['state'], string>> = {
  pending: '',
  in_progress: '?',
  succeeded: '?',
  failed: '?',
  skipped: '–',
  unknown: '?',
  absent: '',
}

function HeatLegend(): ReactNode {
  const key = (look: string | undefined): ReactNode => <span className={classNames(TILE, styles.key, look)} />
  return (
    <Legend isDecoration>
      {key(styles['level-quick'])} up to p50 of its upgrade path
      {key(styles['level-usual'])} p50 to p95
      {key(styles['level-slow'])} slower than p95
      {key(styles['level-unmeasured'])} too few upgrades to compare
      {key(classNames(styles.running, styles['level-quick']))} running now
      <span className={classNames(TILE, styles.key, styles.stuck)}>
        <Shape name="triangle" />
      </span>{' '}
      stuck
    </Legend>
  )
}
