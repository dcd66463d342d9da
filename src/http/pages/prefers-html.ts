const HTML = 'text/html';
/** What programs ask for. */
const JSON_TYPES = ['application/problem+json', 'application/json'];

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) is a browser's that opens a page: it names HTML, and doesn't prefer
 * JSON. Whoever takes anything gets JSON, as do images and scripts.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = accept?.slice(0, 1_000).toLowerCase() ?? '';
  if (!ranges.includes(HTML)) return false;
  const weights = new Map<string, number>();
  for (const range of ranges.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const own = weights.get(HTML) ?? 0;
  return own > 0 && JSON_TYPES.every((type) => own >= (weights.get(type) ?? 0));
}
