import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInputs, type InputFile } from '#cli/import/inputs';
import { readLines } from '#cli/import/lines';
import type { InputLine } from '#import/importer';
import { temporaryFolder } from '../support/import-cli.ts';

function twoFiles() {
  const folder = temporaryFolder();
  const paths = ['a', 'b'].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, '1\n2\n');
  return paths;
}

async function linesOf(files: readonly InputFile[], signal?: AbortSignal) {
  const broken: string[] = [];
  let bytes = 0;
  const lines: InputLine[] = [];
  const hooks = {
    onBytes(count: number) {
      bytes += count;
    },
    onBroken: (file: string, error: unknown) => void broken.push(`${file}: ${error}`),
    ...(signal && { signal }),
  };
  for await (const group of readLines(files, hooks)) lines.push(...group);
  return { broken, bytes, texts: lines.map(({ file, number }) => `${file}:${number}`) };
}

describe('the files of an import', () => {
  it('are read one after the other, each with its own line numbers, and counted in bytes', async () => {
    const [a = '', b = ''] = twoFiles();
    const inputs = findInputs([a, b], false);
    expect(inputs.totalBytes).toBe(8);
    const expected = { broken: [], bytes: 8, texts: [`${a}:1`, `${a}:2`, `${b}:1`, `${b}:2`] };
    expect(await linesOf(inputs.files)).toEqual(expected);
    expect(await linesOf(inputs.again())).toEqual(expected);
  });

  it('have no total if one is a pipe', () => {
    const [a = ''] = twoFiles();
    const inputs = findInputs([a, '-'], false);
    expect(inputs.totalBytes).toBeUndefined();
  });

  it('may not change between two readings', () => {
    const [a = '', b = ''] = twoFiles();
    const inputs = findInputs([a, b], true);
    appendFileSync(b, '3\n');
    expect(() => inputs.again()).toThrow(`${b} changed while it was being checked`);
  });

  it("The files of an import that end abruptly don't keep the next one from being read", async () => {
    const [a = '', b = ''] = twoFiles();
    const faulty: InputFile = {
      name: 'faulty',
      async *open() {
        yield Buffer.from('1\n{"half of a li');
        throw new Error('EIO');
      },
    };
    const [first, last] = findInputs([a, b], false).files as [InputFile, InputFile];
    expect(await linesOf([first, faulty, last])).toMatchObject({
      broken: ['faulty: Error: EIO'],
      texts: [`${a}:1`, `${a}:2`, 'faulty:1', `${b}:1`, `${b}:2`],
    });
  });

  it('are abandoned when the signal comes, even in a wait that would never end', async () => {
    const controller = new AbortController();
    const silent: InputFile = {
      name: 'silent',
      async *open() {
        yield Buffer.from('1\n');
        await new Promise(() => undefined);
      },
    };
    setTimeout(() => controller.abort(), 50);
    const { texts, broken } = await linesOf([silent, silent], controller.signal);
    expect({ texts, broken }).toEqual({ texts: ['silent:1'], broken: [] });
  });
});
