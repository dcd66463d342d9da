import type { SourceStatus } from '#sources';

/**
 * The state of the sources for `/readyz`. That's public, so what is wrong with which node is only in the log.
 */
export function sourcesCheck(
  all: readonly SourceStatus[],
): { readonly ok: boolean; readonly detail: string } | undefined {
  if (all.length === 0) return undefined;
  const ok = all.every(
    ({ state, refused }) => state !== 'stopped' && state !== 'waiting' && refused === 0,
  );
  const detail = all.map(describeSource).join('; ');
  return { ok, detail: ok ? detail : `${detail}; the log and "fathom sources" say why` };
}

function describeSource({ id, state, position, end, refused }: SourceStatus): string {
  const far = end === undefined ? '' : ` of ${end.height}`;
  const at = position === undefined ? '' : ` at ${position.height}${far}`;
  const without = refused === 0 ? '' : ', with rules about balances that give no points';
  return `${id} ${state}${at}${without}`;
}
