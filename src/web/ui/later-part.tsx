import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A part whose files come when it is first shown, or before. Unlike React's `lazy`, which keeps the placeholder for 300 ms
 * once it was shown even where the files are there by then, it is shown as soon as they are: at once, if they were. What is
 * typed after the key that opens a part must arrive in it.
 *
 * Files that do not come are an error of the render, for the boundary around it.
 */
export type LaterPart<P> = ComponentType<P> & {
  /** Has the files come. Resolves also when they do not: that is told where the part is shown. */
  readonly bring: () => Promise<void>
}

/** @param load the files @param Placeholder in the part's place until they are there, given the same */
export function laterPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Placeholder: ComponentType<P> = Nothing,
): LaterPart<P> {
  let Part: ComponentType<P> | undefined
  let failure: Error | undefined
  let coming: Promise<void> | undefined
  const bring = (): Promise<void> => {
    coming ??= load().then(
      (loaded) => {
        Part = loaded
      },
      (thrown: unknown) => {
        failure = thrown instanceof Error ? thrown : new Error('a part did not come', { cause: thrown })
      },
    )
    return coming
  }
  function Later(props: P): ReactNode {
    const [, setCame] = useState(false)
    useEffect(() => {
      if (Part !== undefined) return undefined
      let isShown = true
      void bring().then(() => {
        if (isShown) setCame(true)
      })
      return () => {
        isShown = false
      }
    }, [])
    if (Part !== undefined) return <Part {...props} />
    if (failure !== undefined) throw failure
    return <Placeholder {...props} />
  }
  return Object.assign(Later, { bring })
}

function Nothing(): ReactNode {
  return null
}
