// The jar of the Java SDK as a stranger gets it: from an empty project, as a module and on the class path.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../toolchain.js';
import { compileJava, javaFolder, missingJava, runJavac } from './java.js';

const run = promisify(execFile);
const program = `package shop;

import dev.postrider.Client;
import dev.postrider.ConnectionException;
import dev.postrider.RetryPolicy;

public final class Program {
    private Program() {}

    public static void main(String[] words) {
        try (Client client = Client.builder("http://127.0.0.1:1").credentials("key", "sk_secret").retry(RetryPolicy.ofAttempts(1)).build()) {
            System.out.println(client + " " + Client.class.getModule().isNamed());
            client.account();
        } catch (ConnectionException error) {
            System.out.println(error.reason());
        }
    }
}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-java-package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const noJava = missingJava === undefined ? '' : ` (no ${missingJava} here)`;
test.skipIf(missingJava !== undefined)(
  `an empty project uses the jar, with its module and on the class path${noJava}`,
  async () => {
    const described = /<version>([\d.]+)<\/version>/.exec(await readFile(join(javaFolder, 'pom.xml'), 'utf8'))?.[1];
    expect(described).toBe(version);
    const jar = join(folder, `postrider-${version}.jar`);
    await run('jar', ['--create', '--file', jar, '--module-version', version, '-C', compileJava().classes, '.']);
    const { stdout: exported } = await run('jar', ['--describe-module', '--file', jar]);
    expect(exported).toContain(`dev.postrider@${version}`);
    expect(exported).toContain('exports dev.postrider.model');
    expect(exported.match(/requires .*/g)).toEqual([
      'requires java.base mandated',
      'requires java.net.http transitive',
    ]);

    const source = join(folder, 'src');
    await mkdir(join(source, 'shop'), { recursive: true });
    await writeFile(join(source, 'shop/Program.java'), program);
    await writeFile(
      join(source, 'module-info.java'),
      '/** A shop. */\nmodule shop {\n    requires dev.postrider;\n}\n',
    );
    const asModule = join(folder, 'as-module');
    const files = ['module-info.java', 'shop/Program.java'].map((name) => join(source, name));
    runJavac('-p', jar, '-d', asModule, ...files);
    const module = await run('java', ['-p', `${jar}:${asModule}`, '-m', 'shop/shop.Program']);
    expect(module.stdout).toBe('Client of http://127.0.0.1:1 as key true\nUNREACHABLE\n');

    const plain = join(folder, 'plain');
    runJavac('-cp', jar, '-d', plain, join(source, 'shop/Program.java'));
    const onClassPath = await run('java', ['-cp', `${jar}:${plain}`, 'shop.Program']);
    expect(onClassPath.stdout).toBe('Client of http://127.0.0.1:1 as key false\nUNREACHABLE\n');
  },
);
