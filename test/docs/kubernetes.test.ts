// The Kubernetes manifests: they parse, name each other and what the service has, and are taken by kubectl where that is on this machine.

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configFields } from '../../src/service/config.js';
import { checkout } from '../support/service-process.js';
import { readPage } from './pages.js';

const PROGRAM = 'kubectl';
const FOLDER = 'ops/kubernetes';
const SECRETS = ['POSTRIDER_DATABASE_URL', 'POSTRIDER_SECRET_KEY', 'POSTRIDER_OPERATOR_TOKEN'];

interface Manifest {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: what a manifest holds depends on its kind.
  readonly [field: string]: any;
}

function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readPage(`${FOLDER}/${file}`).text).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS() as Manifest;
  });
}

const [kustomization] = readManifests('kustomization.yaml');
const manifests: Manifest[] = kustomization?.resources.flatMap(readManifests);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const variables = new Set<string>(Object.values(configFields).map(({ variable }) => variable));

test('every file is part of the kustomization', () => {
  const files = readdirSync(join(checkout, FOLDER)).filter((file) => file !== 'kustomization.yaml');
  expect(files.sort()).toEqual([...(kustomization?.resources ?? [])].sort());
  expect(manifests.map(({ kind, metadata }) => `${kind}/${metadata?.name}`)).toEqual([
    'Deployment/postrider-api',
    'Deployment/postrider-workers',
    'Service/postrider',
    'PodDisruptionBudget/postrider-api',
    'PodDisruptionBudget/postrider-workers',
  ]);
});

test('every setting is one of the service, and every role runs twice', () => {
  const [generated] = kustomization?.configMapGenerator ?? [];
  const literals: string[] = generated.literals;
  const names = literals.map((literal) => literal.split('=')[0] ?? '');
  const containers = ofKind('Deployment').map(({ spec }) => spec.template.spec.containers[0]);
  for (const name of [
    ...names,
    ...containers.flatMap(({ env }) => env.map(({ name: own }: { name: string }) => own)),
  ]) {
    expect([...variables], name).toContain(name);
  }
  for (const secret of SECRETS) expect([...variables], secret).toContain(secret);
  expect(readPage(`${FOLDER}/kustomization.yaml`).text).toContain(SECRETS.slice(0, 2).join(', '));
  const roles = containers.flatMap(({ env }) => env[0].value.split(','));
  expect(roles.sort()).toEqual(['api', 'channels', 'worker']);
  for (const { spec } of ofKind('Deployment')) expect(spec.replicas).toBe(2);
});

test('what selects pods finds them', () => {
  const pods = ofKind('Deployment').map(({ spec }) => spec.template.metadata.labels);
  const selectors = manifests.flatMap(({ kind, spec }) =>
    kind === 'Service' ? [spec.selector] : [spec.selector.matchLabels],
  );
  for (const selector of selectors) {
    const found = pods.filter((labels) => Object.entries(selector).every(([name, value]) => labels[name] === value));
    expect(found, JSON.stringify(selector)).toHaveLength(1);
  }
});

test('the image runs as an unprivileged user that changes nothing', () => {
  expect(kustomization?.images).toMatchObject([
    { name: 'postrider', newTag: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
  ]);
  for (const { spec } of ofKind('Deployment')) {
    const [container] = spec.template.spec.containers;
    expect(container).toMatchObject({ image: 'postrider', securityContext: { readOnlyRootFilesystem: true } });
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
  }
});

test('kubectl builds them', (context) => {
  const isHere = spawnSync(PROGRAM, ['version', '--client']).status === 0;
  if (!isHere) context.skip('kubectl is not on this machine');
  const built = execFileSync(PROGRAM, ['kustomize', FOLDER], { cwd: checkout, encoding: 'utf8' });
  expect(built.match(/^kind: /gm)).toHaveLength(manifests.length + 1);
});
