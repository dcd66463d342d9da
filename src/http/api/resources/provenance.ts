import { Provenance } from '#http/api/explanation-schemas';
import { platformRoute } from '#http/api/route';

export const provenanceRoute = platformRoute({
  id: 'getProvenance',
  path: '/provenance',
  summary: 'What all scores are based on',
  description:
    'The live rules, how far the scores include each source, and a digest of all scores that anyone can verify.',
  query: undefined,
  response: Provenance,
  // Chains move on without events.
  isUndated: true,
  problems: ['route-not-found'],
  exampleRequest: '/provenance',
  example: {
    rules: {
      name: 'reef-dao',
      version: 3,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      appliedAt: '2025-12-01T09:00:00Z',
    },
    sources: [{ id: 'import', chain: null, height: 48210, hash: null, at: '2025-12-15T14:30:00Z' }],
    asOf: '2025-12-16T00:00:00Z',
    digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  },
  answer: ({ source }) => source.provenance(),
});
