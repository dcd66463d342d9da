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
        description: 'Names the kind of problem and leads to a page about it.',
        format: 'uri-reference',
      }),
      title: Type.String({ description: 'The kind of problem in words.' }),
      status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
      detail: Type.String({ description: 'What is wrong with this request and what to do.' }),
      instance: Type.String({ description: 'The path asked for.', format: 'uri-reference' }),
      code: Type.Enum(CODES, {
        type: 'string',
        description: 'The kind of problem for programs. Stable.',
      }),
      requestId: Type.String({ description: 'As in X-Request-Id.' }),
      errors: Type.Optional(
        Type.Array(
          Type.Object(
            {
              parameter: Type.String({ description: 'Name of the parameter.' }),
              message: Type.String({ description: 'What it accepts.' }),
            },
            { additionalProperties: false },
          ),
          { description: 'Only of faults of parameters.', minItems: 1 },
        ),
      ),
      'violated-policies': Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only of `rate-limited`: the limits that were exceeded.',
          minItems: 1,
        }),
      ),
    },
    { title: 'Problem', additionalProperties: false },
  );
}

export const problemResponse = {
  kindOf: (code: ProblemCode) => PROBLEMS[code],

  /** The response of one status, with an example for each of its codes. */
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
