// The examples of the Java SDK and those of its README, run as a reader would run them: against a live service.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { callWebhook, PRINTED, WEBHOOK_SECRET } from '../webhook-call.js';
import { compileJava, javaFolder, missingJava, quickJava, runJavac } from './java.js';

const SCOPES = ['send', 'read', 'finance', 'webhooks', 'admin'] as const;
const title = `examples of the SDK for Java${missingJava === undefined ? '' : ` (not tried: no ${missingJava} here)`}`;

describe.skipIf(missingJava !== undefined)(title, () => {
  let service: Service;
  let customer: ServiceCustomer;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let classPath: string;

  beforeAll(async () => {
    ({ classPath } = compileJava());
    service = await startService();
    customer = await service.addCustomer({ body: 'Hello {p1}' });
    folder = await mkdtemp(join(tmpdir(), 'postrider-java-'));
    const key = await service.operator.createCredential(customer.customerNo, { scopes: SCOPES });
    env = {
      ...process.env,
      POSTRIDER_URL: service.url,
      POSTRIDER_API_KEY: key.api_key,
      POSTRIDER_API_SECRET: key.api_secret,
      POSTRIDER_TEMPLATE_NO: customer.templateNo,
      WEBHOOK_SECRET,
    };
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(...words: string[]): Promise<string> {
    const options = [...quickJava, '-cp', `${classPath}:${folder}`];
    return (await promisify(execFile)('java', [...options, ...words], { cwd: folder, env })).stdout.trim();
  }

  test('Send sends a message and shows its receipt', async () => {
    expect(await run('Send', '13800139002')).toMatch(/^T\w+ 13800139002 undelivered UNDELIV 0\.050000$/);
  });

  test('Campaign sends to a file of numbers, writes the receipts, and sends nothing twice', async () => {
    await writeFile(join(folder, 'numbers.txt'), '13800139001\n13800139002\n');
    for (const _ of [1, 2]) {
      const output = await run('Campaign', 'java-campaign', 'numbers.txt', 'receipts.csv');
      expect(output).toContain('2 receipts, 1 delivered, charged 0.100000');
    }
    const rows = (await readFile(join(folder, 'receipts.csv'), 'utf8')).trim().split('\n');
    expect(rows).toHaveLength(3);
    expect((await customer.client.batch('java-campaign')).counts.total).toBe(2);
  });

  test('ReceiveWebhooks takes what is genuine and refuses what is not', async () => {
    const words = [...quickJava, '-cp', classPath, 'ReceiveWebhooks', '0'];
    const child = spawn('java', words, { cwd: folder, env, stdio: 'pipe' });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    try {
      const port = /(\d+)$/.exec(String((await lines.next()).value))?.[1];
      expect(await callWebhook(port)).toBe(204);
      expect(await callWebhook(port, ' ')).toBe(400);
      expect((await lines.next()).value).toBe(PRINTED);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('an answer that has a secret does not show it, and calls that are interrupted or come too late end at once', async () => {
    const program = `import dev.postrider.*;
import dev.postrider.model.*;

public class Ends {
    public static void main(String[] words) {
        Client client = Client.builder("${service.url}")
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET")).build();
        NewOwnCredential made = client.createCredential(CredentialRequest.builder().name("n").build());
        boolean isShown = made.toString().contains(made.secret()) || made.toString().contains(made.apiSecret());
        System.out.println(isShown + " " + made.secret().isEmpty() + " " + made.toString().contains(made.apiKey()));
        Thread.currentThread().interrupt();
        try {
            client.account();
        } catch (ConnectionException error) {
            System.out.println(error.reason() + " " + Thread.interrupted());
        }
        client.close();
        try {
            client.account();
        } catch (IllegalStateException error) {
            System.out.println(error.getMessage());
        }
    }
}
`;
    await writeFile(join(folder, 'Ends.java'), program);
    runJavac('-Xlint:-try', '-cp', classPath, '-d', folder, join(folder, 'Ends.java'));
    expect(await run('Ends')).toBe('false false true\nBROKEN true\nThe client is closed');
  });

  test('the first example of the README runs as it stands, and the others go on from it', async () => {
    const readme = await readFile(join(javaFolder, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```java\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(blocks).toHaveLength(5);
    const [first = '', ...rest] = blocks;
    const isMethod = (code: string) => code.startsWith('static ');
    const program = `import dev.postrider.*;
import dev.postrider.model.*;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.*;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

public class Rest {
    public static void main(String[] words) throws Exception {
        String templateNo = System.getenv("POSTRIDER_TEMPLATE_NO");
        Client client = Client.builder("${service.url}")
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET")).build();
${rest.filter((code) => !isMethod(code)).join('\n')}
        client.close();
        System.out.println(receive(name -> null, new byte[0]) + " " + request);
    }
${rest.filter(isMethod).join('\n')}
}
`;
    await writeFile(join(folder, 'First.java'), first.replace('http://127.0.0.1:8080', service.url));
    await writeFile(join(folder, 'Rest.java'), program);
    await writeFile(join(folder, 'numbers.txt'), '13800139001\n13800139002\n');
    runJavac('-Xlint:-try', '-cp', classPath, '-d', folder, join(folder, 'First.java'), join(folder, 'Rest.java'));
    expect(await run('First')).toBe('13800139001 delivered 0.050000');
    const output = await run('Rest');
    expect(output).toContain('2 2\n400 SendRequest{template_no=');
    expect((await readFile(join(folder, 'receipts.csv'), 'utf8')).startsWith('task_no,')).toBe(true);
  });
});
