import { useEffect, useState } from 'react'

/** What somebody types, when they have paused for so long. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, afterMs)
    return () => {
      clearTimeout(timer)
    }
  }, [value, afterMs])
  return settled
}
