import Type from 'typebox';
import { HEADERS_BY_STATUS, PROBLEM_HEADERS } from './openapi-headers.ts';
import { PROBLEMS, type ProblemCode, problemType } from './problems.ts';

/** A node of the document. */
export type Json = Record<string, unknown>;

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The body of every error. */
export function problemSchema() {
  return Type.Object(
    {
      type: Type.String({
        description: 'Identifies the kind of problem and links to its documentation.',
        format: 'uri-reference',
      }),
      title: Type.String({ description: 'The kind of problem in a few words.' }),
      status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
      detail: Type.String({ description: 'What is wrong with this request and how to fix it.' }),
      instance: Type.String({ description: 'The requested path.', format: 'uri-reference' }),
      code: Type.Enum(CODES, {
        type: 'string',
        description: 'Machine-readable kind of problem. Stable.',
      }),
      requestId: Type.String({ description: 'Same as X-Request-Id.' }),
      errors: Type.Optional(
        Type.Array(
          Type.Object(
            {
              parameter: Type.String({ description: 'Parameter name.' }),
              message: Type.String({ description: 'What it accepts.' }),
            },
            { additionalProperties: false },
          ),
          { description: 'Only for parameter errors.', minItems: 1 },
        ),
      ),
      'violated-policies': Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only for `rate-limited`: the limits that were exceeded.',
          minItems: 1,
        }),
      ),
    },
    { title: 'Problem', additionalProperties: false },
  );
}

export const problemResponse = {
  kindOf: (code: ProblemCode) => PROBLEMS[code],

  /** The response for one status, with an example of each code. */
  make(codes: readonly ProblemCode[], instance: string): Json {
    const [first] = codes;
    const status = first === undefined ? 0 : PROBLEMS[first].status;
    return {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join('\n\n'),
      headers: { ...PROBLEM_HEADERS, ...HEADERS_BY_STATUS[status] },
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code, instance)])),
        },
      },
    };
  },
};

function exampleOf(code: ProblemCode, instance: string): Json {
  const { title, status, remedy } = PROBLEMS[code];
  const [path] = instance.split('?', 1);
  return {
    summary: title,
    value: {
      type: problemType(code),
      title,
      status,
      detail: remedy,
      instance: path,
      code,
      requestId: '4f1c9a2be07d-8k',
    },
  };
}
