import { runBackups } from './backups.ts'
import { runDeployment } from './deployment.ts'
import { runDisks } from './disks.ts'
import { runKills, type ChaosOptions } from './kills.ts'
import { runOverload } from './overload.ts'
import { runPowerCuts } from './power-cuts.ts'
import { runRemoteAway, runRemoteDown } from './remote-away.ts'
import { runThreads } from './threads.ts'
import type { Report } from './report.ts'

export interface Scenario {
  readonly claim: string
  /** By default. */
  readonly rounds: number
  readonly run: (options: ChaosOptions) => Promise<Report>
}

/** By name. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map([
  ['kills', { claim: 'after kill -9 all that was acknowledged is there, once', rounds: 1000, run: runKills }],
  [
    'power-cuts',
    { claim: 'after a power cut all that was acknowledged is there, once', rounds: 480, run: runPowerCuts },
  ],
  [
    'disks',
    { claim: 'on a full, read-only or slow disk the server goes on, and loses nothing', rounds: 60, run: runDisks },
  ],
  ['threads', { claim: 'workers that die and hang come back, and lose nothing', rounds: 50, run: runThreads }],
  [
    'overload',
    { claim: 'a cluster that sends 100 times as much takes nothing from the others', rounds: 10, run: runOverload },
  ],
  [
    'deployment',
    {
      claim: 'three processes, PostgreSQL and VictoriaMetrics lose nothing and notify once, whichever are killed',
      rounds: 100,
      run: runDeployment,
    },
  ],
  [
    'remote-away',
    {
      claim: 'while the metrics store is away, slow or refuses a series, nothing that was acknowledged is lost',
      rounds: 3,
      run: runRemoteAway,
    },
  ],
  [
    'remote-down',
    {
      claim: 'half an hour without the metrics store is seen, refused to nobody, and caught up',
      rounds: 1,
      run: runRemoteDown,
    },
  ],
  ['backups', { claim: 'a backup made under load and restored elsewhere answers alike', rounds: 10, run: runBackups }],
])
