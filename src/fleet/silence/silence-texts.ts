/** Numbers and times in the texts of evidence. */
import type { SilenceShare } from '../../model/cluster-silence.ts'

export function minutesText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function shareText({ silent, of }: SilenceShare, noun = 'clusters'): string {
  return `${silent} of ${of} ${noun}`
}
