import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'
import { classNames } from './class-names.ts'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> {
  /** `primary`: of a form or page. `link`: underlined; `inline`: the same within text. `plain`: of an icon, or in a bar of tools. */
  readonly variant?: 'primary' | 'secondary' | 'link' | 'inline' | 'plain'
  readonly size?: 'sm'
  readonly isDisabled?: boolean
  /** Disabled, and still reached by keys: for a button that is disabled for a moment after it was pressed. */
  readonly isAriaDisabled?: boolean
  /** Before the text; alone, the button needs an `aria-label`. */
  readonly icon?: ReactNode
  readonly className?: string | undefined
}

export function Button({
  variant = 'secondary',
  size,
  isDisabled = false,
  isAriaDisabled = false,
  icon,
  className,
  children,
  onClick,
  ...attributes
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...attributes}
      className={classNames(
        styles.root,
        styles[`variant-${variant === 'inline' ? 'link' : variant}`],
        size === 'sm' && styles.small,
        variant === 'inline' && styles.inline,
        className,
      )}
      disabled={isDisabled}
      {...(isAriaDisabled ? { 'aria-disabled': true } : { onClick })}
    >
      {icon}
      {children === undefined ? null : <span>{children}</span>}
    </button>
  )
}
