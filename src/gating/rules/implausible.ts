/** Something a source shows that can't be right. */
export type Implausible =
  /** Fewer than half of the wallets that it had. */
  | { readonly kind: 'lost'; readonly before: number; readonly now: number }
  /** No wallet has any points. */
  | { readonly kind: 'zeros'; readonly now: number }
  /** Its answers contradict each other; no moderator can confirm that. */
  | { readonly kind: 'contradiction' };
