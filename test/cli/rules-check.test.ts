import { expect, it } from 'vitest';
import { workplace } from '../support/import-cli.ts';

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: staked
    on: {source: eth, contract: "0xc00e94Cb662C3520282E6f5717214004A7f26888", event: "Staked(address indexed who)", since: 1}
    wallet: who
    give: {type: staked, points: 1}
`;

it.each([
  'my node',
  'https://a.example.org/1,https://b.example.org/2',
  'https://a.example.org/1 https://b.example.org/2',
  'https://a.example.org/1\u200b',
  'https://a.example.org/1"',
  'https://a.example.org/1;',
])("fathom rules check says of a node that can't be asked (%j) why, and goes on", async (NODE) => {
  const place = workplace({ 'rules.yaml': RULES });
  const { code, stdout, stderr } = await place.runHere(['rules', 'check', 'rules.yaml'], { NODE });
  const why = "NODE isn't one node's URL (https://…).";
  expect(stderr).toContain(`eth can't be read now, so its first reading isn't estimated: ${why}\n`);
  expect(stdout).toContain(`The newest logs of eth can't be looked at now: ${why}\n`);
  expect(code).toBe(0);
});
