/** Milliseconds that only rise, the same on all threads of the process. */
export const sharedStopwatchMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)
