/** One of two data sources stopped: the Collector, or remote write. The other one shows that the cluster runs. */
import type { SilenceEvidence } from '../../model/cluster-silence.ts'
import type { SilentCluster } from './silent-cluster.ts'
import { minutesText, timeText } from './silence-texts.ts'

export function collectorStopped(one: SilentCluster): readonly SilenceEvidence[] {
  if (one.isTotal || !one.sources.includes('objects')) return []
  return [{ cause: 'collector_stopped', ...contrast(one, 'objects', 'Metrics') }]
}

export function remoteWriteBroken(one: SilentCluster): readonly SilenceEvidence[] {
  if (one.isTotal || !one.sources.includes('metrics')) return []
  return [{ cause: 'remote_write_broken', ...contrast(one, 'sample', 'Objects') }]
}

function contrast({ sinceMs, otherMs = sinceMs }: SilentCluster, last: string, other: string) {
  const text = `The last ${last === 'objects' ? 'list of objects' : last} came at ${timeText(sinceMs)}. ${other} still came ${minutesText(otherMs - sinceMs)} later.`
  return { text, atMs: sinceMs }
}
