/** Calls at each SIGHUP. Failures are already logged. */
export function onReloadSignal(reload: () => Promise<void>): void {
  process.on('SIGHUP', () => {
    reload().catch(() => undefined)
  })
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function untilStopSignal(): Promise<'asked'> {
  return new Promise((resolve) => {
    let isAsked = false
    const onSignal = (): void => {
      if (isAsked) process.exit(130)
      isAsked = true
      resolve('asked')
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
