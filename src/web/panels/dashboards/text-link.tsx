import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DashboardLink } from '../../../model/dashboard.ts'
import { interpolateText, type VariableValues } from '../../lib/dashboards/interpolate.ts'
import { linkTarget } from '../../lib/safe-href.ts'

interface TextLinkProps {
  readonly href: string
  readonly title?: string
  /** By default an external link opens a tab and an internal link does not. */
  readonly opensTab?: boolean
  readonly children: ReactNode
}

interface FileLinkProps {
  readonly link: DashboardLink
  readonly values: VariableValues
}

/** A link of a dashboard or a panel, with the values of the variables where the file wants them. */
export function FileLink({
  link: { name, url, tooltip, rendersVariables, opensTab },
  values,
}: FileLinkProps): ReactNode {
  return (
    <TextLink
      href={rendersVariables ? interpolateText(url, values, 'percentencode') : url}
      title={tooltip}
      opensTab={opensTab}
    >
      {name}
    </TextLink>
  )
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
