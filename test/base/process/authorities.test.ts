import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { trustExtraAuthorities } from '#base/process/authorities';
import { temporaryFolder } from '../../support/import-cli.ts';

it('a thread lives on without authorities that can’t be read, as Node does', () => {
  const folder = temporaryFolder();
  const named = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const broken = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
  const before = getCACertificates('default');
  for (const file of [folder, join(folder, 'none'), named('a', ''), named('b', broken)]) {
    expect(trustExtraAuthorities(file), file).toBe(false);
  }
  expect(getCACertificates('default')).toEqual(before);
});
