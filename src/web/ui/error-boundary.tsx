import { Component } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { Notice } from './notice.tsx'

interface Props {
  /** What cannot be shown, as it stands in a sentence: `this page`. */
  readonly what: string
  readonly children: ReactNode
}

/** Keeps a fault of one part from taking the rest of the page along. */
export class ErrorBoundary extends Component<Props, { readonly message: string | undefined }> {
  override state: { readonly message: string | undefined } = { message: undefined }

  static getDerivedStateFromError(thrown: unknown): { readonly message: string } {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) }
  }

  override render(): ReactNode {
    const { message } = this.state
    if (message === undefined) return this.props.children
    return (
      <Notice
        kind="error"
        title={`A fault of Daytwo keeps ${this.props.what} from being shown`}
        actions={
          <Button
            variant="secondary"
            size="sm"
            onClick={() => {
              this.setState({ message: undefined })
            }}
          >
            Try again
          </Button>
        }
      >
        {message}
      </Notice>
    )
  }
}
