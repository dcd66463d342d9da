import type { Document, Operation, Parameter, ResponseObject } from './document.ts';
import { requestChanges, responseChanges } from './schema-changes.ts';

/**
 * What breaks clients of the released document in the current one. Additions are allowed: paths, optional
 * parameters, values of parameters, fields, statuses, headers.
 * @returns one line per change, in the document's order
 */
export function breakingChanges(released: Document, current: Document): string[] {
  return [
    ...serverChanges(released, current),
    ...Object.entries(released.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, before]) => {
        const after = current.paths[path]?.[method];
        const at = `${method.toUpperCase()} ${path}`;
        return after === undefined
          ? [`${at} is gone`]
          : operationChanges(released, before, current, after).map((each) => `${at}: ${each}`);
      }),
    ),
  ];
}

function serverChanges(released: Document, current: Document): string[] {
  const changes: string[] = [];
  if (JSON.stringify(released.servers) !== JSON.stringify(current.servers)) {
    changes.push('the servers are others');
  }
  for (const way of released.security) {
    const isThere = current.security.some((each) => JSON.stringify(each) === JSON.stringify(way));
    if (!isThere) changes.push(`the security ${JSON.stringify(way)} is gone`);
  }
  for (const [name, scheme] of Object.entries(released.components.securitySchemes)) {
    const after = current.components.securitySchemes[name];
    if (JSON.stringify(after) !== JSON.stringify(scheme)) {
      changes.push(`the security scheme ${name} is gone or another`);
    }
  }
  return changes;
}

function operationChanges(
  released: Document,
  before: Operation,
  current: Document,
  after: Operation,
): string[] {
  const changes: string[] = [];
  if (before.operationId !== after.operationId) changes.push('its operationId is another');
  const place = (each: Parameter) => `${each.in} parameter ${each.name}`;
  for (const parameter of before.parameters) {
    const now = after.parameters.find((each) => place(each) === place(parameter));
    const found = now === undefined ? ['is gone'] : parameterChanges(parameter, now);
    changes.push(...found.map((each) => `${place(parameter)} ${each}`));
  }
  for (const parameter of after.parameters) {
    const isNew = !before.parameters.some((each) => place(each) === place(parameter));
    if (isNew && parameter.required) changes.push(`${place(parameter)} is new and required`);
  }
  for (const [status, response] of Object.entries(before.responses)) {
    const now = after.responses[status];
    const found =
      now === undefined ? [' is gone'] : resultChanges(released, response, current, now);
    changes.push(...found.map((each) => `${status}${each}`));
  }
  return changes;
}

function parameterChanges(before: Parameter, after: Parameter): string[] {
  const changes: string[] = [];
  if (after.required && !before.required) changes.push('became required');
  if (before.style !== after.style || before.explode !== after.explode) {
    changes.push('is written in another way');
  }
  return [...changes, ...requestChanges(before.schema, after.schema)];
}

function resultChanges(
  released: Document,
  before: ResponseObject,
  current: Document,
  after: ResponseObject,
): string[] {
  const changes: string[] = [];
  for (const [name, { schema }] of Object.entries(before.headers ?? {})) {
    const now = after.headers?.[name];
    if (now === undefined) changes.push(` header ${name} is gone`);
    else changes.push(...responseChanges(released, schema, current, now.schema, ` header ${name}`));
  }
  for (const [type, { schema }] of Object.entries(before.content ?? {})) {
    const now = after.content?.[type];
    if (now === undefined) changes.push(` ${type} is gone`);
    else changes.push(...responseChanges(released, schema, current, now.schema, ' body'));
  }
  return changes;
}
