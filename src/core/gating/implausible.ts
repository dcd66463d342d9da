/** What a source shows that can't be right. */
export type Implausible =
  /** Fewer than half of the wallets that it had. */
  | { readonly kind: 'lost'; readonly before: number; readonly now: number }
  /** No wallet has any points. */
  | { readonly kind: 'zeros'; readonly now: number }
  /** Its answers don't fit together; nobody can say that this is right. */
  | { readonly kind: 'contradiction' };
