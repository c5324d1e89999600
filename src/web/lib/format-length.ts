/** Lengths of work, where seconds matter: `42 s`, `4 min 05 s`, `1 h 05 min`, `2 d 4 h`. Pure. */
export function formatLength(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes, rest] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
    whole % 60,
  ]
  const two = (count: number): string => String(count).padStart(2, '0')
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} min`
  if (minutes > 0) return rest === 0 ? `${minutes} min` : `${minutes} min ${two(rest)} s`
  return `${rest} s`
}

/** The same where there is little room: whole minutes from ten on. */
export function formatShortLength(seconds: number): string {
  return seconds >= 600 && seconds < 3600 ? `${Math.round(seconds / 60)} min` : formatLength(seconds)
}
