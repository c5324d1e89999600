import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { linkTarget } from '../../lib/safe-href.ts'

interface TextLinkProps {
  readonly href: string
  readonly title?: string
  /** Where the file does not say it, what leads elsewhere opens a tab and what stays here does not. */
  readonly opensTab?: boolean
  readonly children: ReactNode
}

const NEW_TAB = { target: '_blank', rel: 'noreferrer' } as const

/** A link from a file. An address whose scheme is not trusted is text. */
export function TextLink({ href, title = '', opensTab, children }: TextLinkProps): ReactNode {
  const target = linkTarget(href)
  const hint = title === '' ? {} : { title }
  switch (target?.kind) {
    case 'inside':
      return (
        <Link href={target.path} {...hint} {...(opensTab === true ? NEW_TAB : {})}>
          {children}
        </Link>
      )
    case 'outside':
      return (
        <a href={target.url} {...hint} {...(opensTab === false ? {} : NEW_TAB)}>
          {children}
        </a>
      )
    case 'section':
    case undefined:
      return <span {...hint}>{children}</span>
  }
}
