import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError, type UserErrorCode } from '#base/errors';
import { sentenceFor, textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import { ethereumKey, solanaKey } from '../../../support/link-keys.ts';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';

const WALLET = ethereumKey(1);
const SESSION = '0123456789abcdef0123456789abcdef';

let at: TestLinkPage;
beforeAll(async () => {
  at = await openLinkPage();
});
afterAll(() => at.close());
beforeEach(() => {
  at.service.asked.length = 0;
  at.log.lines.length = 0;
});

function post(path: string, body: unknown, headers: Record<string, string> = {}, to = at) {
  return fetch(`${to.url}/link/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Opens a request. @returns the headers of the browser that has it */
async function opened(ticket = at.service.begin()): Promise<{ Cookie: string }> {
  const answer = await post('open', { ticket });
  expect(answer.status).toBe(200);
  return { Cookie: String(answer.headers.get('set-cookie')?.split(';')[0]) };
}

/** `status code`, after checking the form of the problem. */
async function refusal(answer: Response): Promise<string> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('set-cookie')).toBeNull();
  const problem = (await answer.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({
    status: answer.status,
    instance: new URL(answer.url).pathname,
    requestId: answer.headers.get('x-request-id'),
  });
  expect(problem.detail).toBeTypeOf('string');
  return `${problem.status} ${problem.code}`;
}

describe("the link page's endpoints", () => {
  it('lead from the ticket to the code', async () => {
    const ticket = at.service.begin({ name: 'Marina' });
    const looked = await post('look', { ticket });
    expect(looked.headers.get('set-cookie')).toBeNull();
    const shown = (await looked.json()) as Record<string, unknown>;
    const account = {
      platform: 'Discord',
      codeEntry: 'form',
      id: '80351110224678912',
      name: 'Marina',
    };
    expect(shown).toMatchObject({
      account: { ...account, username: 'marina.b' },
      owner: 'discord:80351110224678912',
    });
    expect(shown.expiresIn).toBeGreaterThan(890);
    expect(shown).not.toHaveProperty('proof');
    const answer = await post('open', { ticket });
    expect(await answer.json()).toEqual({ expiresIn: expect.closeTo(900, -1) });
    const headers = { Cookie: String(answer.headers.get('set-cookie')?.split(';')[0]) };
    const asked = await post('challenge', { address: WALLET.address.toLowerCase() }, headers);
    const challenge = (await asked.json()) as { text: string; wallet: unknown; expiresIn: number };
    expect(challenge.wallet).toEqual({ chain: 'ethereum', address: WALLET.address });
    expect(challenge).not.toHaveProperty('transaction');
    const signature = await WALLET.sign(Buffer.from(challenge.text));
    const proved = await post('proof', { form: 'message', signature }, headers);
    expect(await proved.json()).toEqual({
      wallet: challenge.wallet,
      code: '042137',
      expiresIn: expect.closeTo(300, -1),
    });
    // A reload finds it again, with or without the ticket, and no one else does.
    for (const body of [{ ticket }, {}]) {
      expect(await (await post('look', body, headers)).json()).toMatchObject({
        proof: { wallet: challenge.wallet, code: '042137', expiresIn: expect.closeTo(300, -1) },
      });
    }
    expect(await refusal(await post('look', { ticket }))).toBe('409 link-taken');
    expect(await refusal(await post('look', {}))).toBe('410 link-expired');
    for (const each of [looked, answer, asked, proved]) {
      expect(each.status).toBe(200);
      expect(each.headers.get('cache-control')).toBe('no-store');
      expect(each.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it("say what is unknown about a wallet, in the reader's language", async () => {
    const headers = await opened();
    const caveatIn = async (language: string) => {
      const more = { ...headers, 'Accept-Language': language };
      const asked = await post('challenge', { address: solanaKey(4).address }, more);
      return ((await asked.json()) as { caveat?: string }).caveat;
    };
    expect(await caveatIn('en')).toBeUndefined();
    at.service.caveat = 'rekeying-unseen';
    const fresh = await opened();
    Object.assign(headers, fresh);
    expect(await caveatIn('en')).toContain(textsFor('en').link.caveats['rekeying-unseen']);
    expect(await caveatIn('es')).toContain(textsFor('es').link.caveats['rekeying-unseen']);
    at.service.caveat = undefined;
  });

  it("accept a hardware wallet's signature, and one typed by hand", async () => {
    const key = solanaKey(5);
    for (const form of [undefined, 'message']) {
      const headers = await opened();
      const asked = await post('challenge', { address: key.address }, headers);
      const { text, transaction } = (await asked.json()) as Record<string, string>;
      expect(transaction).toMatch(/^AQAA/);
      const signature = await key.sign(Buffer.from(text ?? ''));
      expect((await post('proof', { form, signature }, headers)).status).toBe(200);
    }
    expect(at.service.asked).toContain('prove by hand');
  });

  it('keep the session in a cookie that no script and no other site gets', async () => {
    const ticket = at.service.begin();
    const answer = await post('open', { ticket });
    const [pair = '', ...attributes] = String(answer.headers.get('set-cookie')).split('; ');
    expect(pair).toMatch(/^fathom_link=[0-9a-f]{32}$/);
    const session = pair.split('=')[1] ?? '';
    expect(attributes).toEqual([
      'Path=/link',
      'HttpOnly',
      'SameSite=Strict',
      expect.stringMatching(/^Max-Age=(?:23[5-9]\d|2400)$/),
    ]);
    expect(await answer.text()).not.toContain(session);
    // The same browser can open the request again, and no one else can.
    expect((await post('open', { ticket }, { Cookie: `a=b; ${pair}` })).status).toBe(200);
    expect(await refusal(await post('open', { ticket }))).toBe('409 link-taken');
    const other = { Cookie: `fathom_link=${SESSION}` };
    expect(await refusal(await post('open', { ticket }, other))).toBe('409 link-taken');
  });

  it('limit it to https if the public URL is', async () => {
    const secure = await openLinkPage({ publicUrl: 'https://rep.example.org' });
    const ticket = secure.service.begin();
    const answer = await post('open', { ticket }, {}, secure);
    const cookie = String(answer.headers.get('set-cookie'));
    expect(cookie).toMatch(/^__Secure-fathom_link=[0-9a-f]{32}; /);
    expect(cookie).toContain('; Secure');
    // A cookie that a plain HTTP page could have set is ignored.
    const plain = { Cookie: cookie.replace('__Secure-', '').split(';')[0] ?? '' };
    expect(await refusal(await post('open', { ticket }, plain, secure))).toBe('409 link-taken');
    await secure.close();
  });

  it.each([
    ['no cookie', {}],
    ['an empty one', { Cookie: 'fathom_link=' }],
    ['one of another form', { Cookie: 'fathom_link=../../etc' }],
    ['one in capitals', { Cookie: `fathom_link=${SESSION.toUpperCase()}` }],
    ['one that begins alike', { Cookie: `fathom_link2=${SESSION}` }],
  ])('treat %s as an expired request', async (_, headers) => {
    const asked = await post('challenge', { address: WALLET.address }, headers);
    expect(await refusal(asked)).toBe('410 link-expired');
    const proved = await post('proof', { signature: '0x00' }, headers);
    expect(await refusal(proved)).toBe('410 link-expired');
    expect(at.service.asked).toEqual([]);
  });
});

describe('the endpoints reject', () => {
  const ticket = 'a'.repeat(32);

  it.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
  ])('requests from elsewhere: %o', async (headers) => {
    for (const path of ['look', 'open', 'challenge', 'proof']) {
      expect(await refusal(await post(path, { ticket }, headers))).toBe('403 cross-site');
    }
    expect(at.service.asked).toEqual([]);
  });

  const signature = '0x00';
  it.each([
    ['look', { ticket: null }],
    ['look', { ticket: '' }],
    ['look', { session: SESSION }],
    ['open', ''],
    ['open', '{'],
    ['open', 'null'],
    ['open', '[]'],
    ['open', '"text"'],
    ['open', {}],
    ['open', { ticket: 7 }],
    ['open', { ticket: '' }],
    ['open', { ticket: 'a'.repeat(15) }],
    ['open', { ticket: 'a'.repeat(129) }],
    ['open', { ticket: `${ticket}\n` }],
    ['open', { ticket: `${ticket} ` }],
    ['open', { ticket, session: SESSION }],
    ['open', `{"ticket": "${ticket}", "__proto__": {"a": 1}}`],
    ['challenge', {}],
    ['challenge', { address: null }],
    ['challenge', { address: [WALLET.address] }],
    ['challenge', { address: 'x'.repeat(301) }],
    ['challenge', { address: WALLET.address, chain: 'ethereum' }],
    ['proof', {}],
    ['proof', { form: 'message' }],
    ['proof', { form: 'message', signature: '' }],
    ['proof', { form: 'message', signature: '0x 00' }],
    ['proof', { form: 'message', signature: '<b>' }],
    ['proof', { form: 'message', signature: 7 }],
    ['proof', { form: 'message', signature: 'x'.repeat(17_001) }],
    ['proof', { form: 'any', signature }],
    ['proof', { form: null, signature }],
    ['proof', { form: ['message'], signature }],
    ['proof', { form: 'message', signature, authenticatorData: 'AAAA' }],
    ['proof', { signature, authenticatorData: 'AAAA' }],
    ['proof', { form: 'arc60', signature, authenticatorData: '' }],
    ['proof', { form: 'arc60', signature, authenticatorData: 'x'.repeat(1_025) }],
    ['proof', { form: 'arc60', signature, authenticatorData: 7 }],
    ['proof', { form: 'message', signature, address: WALLET.address }],
  ])('a body of %s that is %j', async (path, body) => {
    const headers = { Cookie: `fathom_link=${SESSION}` };
    expect(await refusal(await post(path, body, headers))).toBe('400 bad-request');
    expect(at.service.asked).toEqual([]);
  });

  it('bodies that are too large, but not the longest proof', async () => {
    for (const path of ['open', 'challenge']) {
      const answer = await post(path, { ticket: 'a'.repeat(2_048) });
      expect(await refusal(answer)).toBe('413 body-too-large');
    }
    const long = await post('proof', { signature: 'a'.repeat(20 * 1_024) });
    expect(await refusal(long)).toBe('413 body-too-large');
    const headers = await opened();
    await post('challenge', { address: WALLET.address }, headers);
    const longest = await post('proof', { signature: `0x${'ab'.repeat(8_400)}` }, headers);
    expect(await refusal(longest)).toBe('422 signature-malformed');
  });

  it('anything but JSON', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await post('open', `ticket=${ticket}`, form);
    expect(await refusal(answer)).toBe('415 unsupported-media-type');
  });

  it("a program's other methods, with the API's errors", async () => {
    for (const [path, status] of [
      ['/link', 405],
      ['/link/nowhere', 404],
    ]) {
      const answer = await fetch(`${at.url}${path}`, { method: 'POST' });
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it("an invalid address, with a page in the reader's language", async () => {
    for (const path of ['nowhere', 'look', 'proof', '%E0%A4%A', 'a/b?lang=xx', '<script>']) {
      const answer = await fetch(`${at.url}/link/${path}`);
      expect([answer.status, path]).toEqual([path.startsWith('%') ? 400 : 404, path]);
      if (answer.status === 400) continue;
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).toContain(wordsFor(['en']).link.lost.about);
    }
    const spanish = { headers: { 'Accept-Language': 'es' } };
    const answer = await fetch(`${at.url}/link/nowhere`, spanish);
    expect(await answer.text()).toContain(wordsFor(['es']).link.lost.about);
    const slash = await fetch(`${at.url}/link/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([302, '/link']);
    expect(at.service.asked).toEqual([]);
  });

  it.each<[UserErrorCode, number]>([
    ['link-expired', 410],
    ['link-taken', 409],
    ['link-tries', 403],
    ['link-nothing', 409],
    ['invalid-address', 400],
    ['wallet-unusable', 422],
    ['signature-malformed', 422],
    ['signature-other-wallet', 422],
    ['signature-wrong', 422],
    ['contract-unsupported', 422],
  ])('The endpoints reject with the code %s of the service', async (code, status) => {
    at.service.fault = new UserError(code, 'Do this instead.');
    const answer = await post('open', { ticket });
    expect(await answer.clone().json()).toMatchObject({ detail: 'Do this instead.' });
    expect(await refusal(answer)).toBe(`${status} ${code}`);
    expect(at.log.lines).toEqual([]);
  });

  it.each([
    [{ Cookie: 'fathom_language=es', 'Accept-Language': 'en' }, 'es'],
    [{ 'Accept-Language': 'es-MX,en;q=0.5' }, 'es'],
    [{}, 'en'],
  ])("a proof with its reason in the reader's language: %o", async (headers, language) => {
    const values = ['1', '3'];
    const fault = new UserError('owners-missing', 'Do this instead.', [], { values });
    at.service.fault = fault;
    const problem = await (await post('open', { ticket }, headers)).json();
    const sentence = sentenceFor(textsFor(language).proofErrors, fault);
    expect(sentence).toMatch(/1\D+3/);
    expect(problem).toMatchObject({ sentence });
    at.service.fault = new UserError('link-taken', 'Do this instead.');
    expect(await (await post('open', { ticket }, headers)).json()).not.toHaveProperty('sentence');
  });

  it('a proof with what its two words of 32 bytes may be besides', async () => {
    const { link } = textsFor('en');
    const headers = await opened();
    const [a, b] = ['1b'.repeat(32), '2c'.repeat(32)];
    for (const [signature, isUnsure] of [
      [`0x${a}\n0x${b}`, true],
      [`0x${a}${b}`, false],
    ] as const) {
      at.service.fault = new UserError('signature-wrong', 'Do this instead.');
      const answer = await post('proof', { signature }, headers);
      const problem = (await answer.json()) as { readonly sentence: string };
      expect(problem.sentence.includes(link.mayBeKeys)).toBe(isUnsure);
    }
  });

  it('temporarily while owners are awaited, of which the operator has nothing to know', async () => {
    const wallet = { chain: 'ethereum', address: `0x${'ab'.repeat(20)}` } as const;
    const submission = { form: undefined, signature: '0x' };
    const pending = { wallet, text: '', submission, tries: 1, retryAt: 10, until: 99 };
    at.service.fault = new UncheckedProof({ ...pending, awaits: 'owners' }, { now: 0 });
    expect(await refusal(await post('open', { ticket }))).toBe('503 data-unavailable');
    expect(at.log.lines).toEqual([]);
  });

  it('temporarily, when the service is unavailable', async () => {
    at.service.fault = new RetryableError('https://node.example/secret is down', {
      retryAfter: 7.2,
    });
    const answer = await post('open', { ticket });
    expect(answer.headers.get('retry-after')).toBe('8');
    expect(await answer.clone().text()).not.toContain('secret');
    expect(await refusal(answer)).toBe('503 data-unavailable');
    expect(at.log.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it.each([
    [new Error('a bug with a secret'), '500 internal', 'err'],
    [new UserError('wrong-configuration', 'NODE: a secret'), '503 data-unavailable', 'reason'],
  ])(
    "The endpoints reject without detail what the user can't fix: %s",
    async (fault, answered, field) => {
      at.service.fault = fault;
      const answer = await post('open', { ticket });
      expect(await answer.clone().text()).not.toContain('secret');
      expect(await refusal(answer)).toBe(answered);
      // What only the operator can end is no bug, so its line needs no stack.
      const logged = field === 'err' ? fault : fault.message;
      expect(at.log.lines).toMatchObject([{ level: 'error', fields: { [field]: logged } }]);
    },
  );
});
