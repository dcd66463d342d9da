import { describe, expect, it } from 'vitest';
import { createProgress } from '#cli/progress';

function shown(isTTY: boolean, totalBytes: number | undefined) {
  const written: string[] = [];
  let clock = 0;
  const progress = createProgress({
    label: 'Importing',
    totalBytes,
    stream: { isTTY, write: (text: string) => written.push(text) },
    monotonicMs: () => clock,
  });
  const wait = (ms: number) => {
    clock += ms;
  };
  return { progress, written, wait };
}

describe('progress', () => {
  it('is a bar on a terminal, redrawn ten times a second at most', () => {
    const { progress, written, wait } = shown(true, 1000);
    progress.update({ bytes: 0, lines: 0 });
    wait(99);
    progress.update({ bytes: 100, lines: 100 });
    wait(3_901);
    progress.update({ bytes: 250, lines: 5_000 });
    expect(written).toEqual([
      '\r\x1b[2KImporting ░░░░░░░░░░░░░░░░░░░░░░░░ 0% · 0 lines · 0 lines/s',
      '\r\x1b[2KImporting ██████░░░░░░░░░░░░░░░░░░ 25% · 5,000 lines · 1,250 lines/s · 0:12 left',
    ]);
  });

  it('tells what is left by the pace of reading, once it has read for a while', () => {
    const { progress, written, wait } = shown(true, 1_000);
    // What opens the database and the files, when there are next to no lines.
    wait(20_000);
    for (let second = 0; second <= 5; second++) {
      progress.update({ bytes: 1 + second * 100, lines: second * 100 });
      wait(1_000);
    }
    const left = written.map((line) => / (\S+) left$/.exec(line)?.[1]);
    expect(left.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(left.at(-1)).toBe('0:05');
  });

  it('makes room for a note, and disappears in the end', () => {
    const { progress, written } = shown(true, 1000);
    progress.update({ bytes: 0, lines: 0 });
    progress.note('The disk is full.');
    progress.end();
    expect(written.slice(1)).toEqual(['\r\x1b[2K', 'The disk is full.\n']);
  });

  it('is a plain line every ten seconds elsewhere', () => {
    const { progress, written, wait } = shown(false, 1_000_000);
    for (let second = 1; second <= 25; second++) {
      wait(1_000);
      progress.update({ bytes: second * 100, lines: second * 1_000 });
    }
    progress.end();
    expect(written).toEqual([
      'Importing: 0%, 10,000 lines, 1,000 lines/s, 2:46:30 left\n',
      'Importing: 0%, 20,000 lines, 1,000 lines/s, 2:46:20 left\n',
    ]);
  });

  it('shows only counts if the total is unknown', () => {
    const { progress, written, wait } = shown(false, undefined);
    wait(10_000);
    progress.update({ bytes: 5, lines: 1_234_567 });
    expect(written).toEqual(['Importing: 1,234,567 lines, 123,457 lines/s\n']);
  });

  it('never exceeds 100%, even if a file grew', () => {
    const { progress, written, wait } = shown(true, 100);
    progress.update({ bytes: 0, lines: 0 });
    wait(5_000);
    progress.update({ bytes: 200, lines: 1 });
    expect(written[1]).toContain('100%');
    expect(written[1]).toContain('0:00 left');
  });
});
