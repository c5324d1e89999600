import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { linkTarget } from '../../lib/safe-href.ts'

/** A link from a file. An address whose scheme is not trusted is text. */
export function TextLink({
  href,
  title = '',
  children,
}: {
  readonly href: string
  readonly title?: string
  readonly children: ReactNode
}): ReactNode {
  const target = linkTarget(href)
  const hint = title === '' ? {} : { title }
  switch (target?.kind) {
    case 'inside':
      return (
        <Link href={target.path} {...hint}>
          {children}
        </Link>
      )
    case 'outside':
      return (
        <a href={target.url} target="_blank" rel="noreferrer" {...hint}>
          {children}
        </a>
      )
    case 'section':
    case undefined:
      return <span {...hint}>{children}</span>
  }
}
