/** Something a source shows that can't be right. */
export type Implausible =
  /** Fewer than half of the wallets that it had. */
  | { readonly kind: 'lost'; readonly before: number; readonly now: number }
  /** No wallet has any points. */
  | { readonly kind: 'zeros'; readonly now: number }
  /** Its answers contradict each other; no moderator can confirm that. */
  | { readonly kind: 'contradiction' };

/** What a button says that it's about: weeks later the source may show something else. */
export function doubtCode(shows: Implausible): string {
  return shows.kind === 'contradiction' ? shows.kind : `${shows.kind}${shows.now}`;
}

/** What `doubtCode` said; undefined if that isn't it. */
export function readDoubtCode(code: string): Implausible | undefined {
  const [, kind, now] = /^(lost|zeros)(\d{1,15})$/.exec(code) ?? [];
  if (kind === 'zeros') return { kind, now: Number(now) };
  return kind === 'lost' ? { kind, before: 0, now: Number(now) } : undefined;
}
