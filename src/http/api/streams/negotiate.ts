const STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';

/**
 * Whether an `Accept` header asks for a stream: it names the type, and doesn't prefer JSON. Ranges
 * such as any type get JSON.
 */
export function wantsStream(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(STREAM)) return false;
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const own = weights.get(STREAM) ?? 0;
  return own > 0 && own >= (weights.get(JSON_TYPE) ?? 0);
}
