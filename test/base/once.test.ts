import { describe, expect, it } from 'vitest';
import { BoundedMap } from '#base/bounded-map';
import { RetryableError } from '#base/errors';
import { type Logger, ProblemLog } from '#base/log';
import { SeenOnce } from '#cluster/inbox';

function written() {
  const lines: string[] = [];
  const at = (level: string) => (_: unknown, message: string) =>
    void lines.push(`${level}: ${message}`);
  const log: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
  return { log, lines };
}

describe('SeenOnce', () => {
  it('recognises an id until too many others came', () => {
    const seen = new SeenOnce<string>(2);
    const ids = ['a', 'b', 'a', 'c', 'b', 'a'];
    expect(ids.map((id) => seen.isNew(id))).toEqual([true, true, false, true, false, true]);
  });
});

describe('BoundedMap', () => {
  it('keeps the entries set last', () => {
    const latest = new BoundedMap<string, number>(2);
    for (const [i, key] of ['a', 'b', 'a', 'c'].entries()) latest.set(key, i);
    expect(['a', 'b', 'c'].map((key) => latest.get(key))).toEqual([2, undefined, 3]);
    expect(latest.size).toBe(2);
  });
});

describe('ProblemLog', () => {
  it("logs a problem of one kind once until it's over", () => {
    const { log, lines } = written();
    const trouble = new ProblemLog(log);
    trouble.resolve('back');
    trouble.report('network', 'warn', {}, 'no network');
    trouble.report('network', 'warn', {}, 'no network');
    trouble.report('token', 'error', {}, 'bad token');
    trouble.resolve('back');
    trouble.report('network', 'warn', {}, 'no network');
    expect(lines).toEqual([
      'warn: no network',
      'debug: no network',
      'error: bad token',
      'info: back',
      'warn: no network',
    ]);
  });

  it('warns once of what is retried, and logs every bug', () => {
    const { log, lines } = written();
    const trouble = new ProblemLog(log);
    for (const error of [new RetryableError('away'), new RetryableError('away'), new Error('x')]) {
      trouble.failed(error, 'failed');
    }
    trouble.failed(new Error('x'), 'failed');
    expect(lines).toEqual(['warn: failed', 'debug: failed', 'error: failed', 'error: failed']);
  });
});
