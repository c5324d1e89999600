/** `2026-08-20 10:00:00 UTC`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `1 h 5 min`, `12 s`, `35 ms`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60)
    return seconds % 60 === 0 || seconds >= 600 ? `${minutes} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export function countText(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 series`, `12 log records`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}
