<?php

// What the conformance suite does not see: `php tests/core.php` says nothing and ends with 0 when all of it holds.

declare(strict_types=1);

use Postrider\Client;
use Postrider\Clock;
use Postrider\ConnectionException;
use Postrider\Decimal;
use Postrider\Http\Request;
use Postrider\Http\Response;
use Postrider\Model\NewOwnCredential;
use Postrider\Model\Task;
use Postrider\RetryPolicy;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

require dirname(__DIR__) . '/conformance/autoload.php';

function same(mixed $expected, mixed $found, string $what): void
{
    if ($expected !== $found) {
        fwrite(STDERR, "$what: " . var_export($found, true) . ' instead of ' . var_export($expected, true) . "\n");
        exit(1);
    }
}

function failure(callable $act): Throwable
{
    try {
        $act();
    } catch (Throwable $error) {
        return $error;
    }
    throw new LogicException('It should have failed');
}

/** A PSR-18 client that answers from a list, and notes what it was asked. */
final class ListedAnswers implements ClientInterface
{
    /** @var list<RequestInterface> */
    public array $seen = [];

    /** @param list<ResponseInterface|Throwable> $answers */
    public function __construct(private array $answers)
    {
    }

    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $this->seen[] = $request;
        $answer = array_shift($this->answers);
        return $answer instanceof ResponseInterface ? $answer : throw $answer ?? new LogicException('No answer is left');
    }
}

final class NetworkIsAway extends RuntimeException implements NetworkExceptionInterface
{
    public function getRequest(): RequestInterface
    {
        return new Request('GET', 'http://127.0.0.1/', []);
    }
}

final class StillClock implements Clock
{
    public float $slept = 0;

    public function now(): float
    {
        return 1794700800.0 + $this->slept;
    }

    public function sleep(float $seconds): void
    {
        $this->slept += $seconds;
    }
}

function json(mixed $value, int $status = 200): Response
{
    return new Response($status, ['Content-Type' => 'application/json'], json_encode($value));
}

// Amounts: all digits, and compared as numbers of any length.
$order = ['-123456789012345678.000002', '-123456789012345678.000001', '-1', '0', '0.000001', '0.1', '9.9', '10'];
foreach ($order as $at => $text) {
    foreach ($order as $otherAt => $other) {
        same($at <=> $otherAt, (new Decimal($text))->compareTo($other), "$text and $other");
    }
}
same(true, (new Decimal('0.050000'))->equals('0.05'), 'zeros at the end');
same(true, (new Decimal('-0.000000'))->isZero(), 'a zero below zero');
same('"0.050000"', json_encode(new Decimal('0.050000')), 'JSON of an amount');
same(true, failure(fn () => new Decimal('5e-2')) instanceof InvalidArgumentException, 'no digits');
same(true, failure(fn () => new Decimal(0.05)) instanceof TypeError, 'a float');

// What is shown once by the service is in no dump.
$wire = ['name' => 'x', 'api_key' => 'ak', 'secret' => 'sk_hidden', 'api_secret' => 'sk_hidden'];
ob_start();
var_dump(new NewOwnCredential($wire));
print_r(new NewOwnCredential($wire));
same(false, str_contains((string) ob_get_clean(), 'sk_hidden'), 'the secret of a new key is shown');

// A client is neither copied nor stored, and says what is missing.
$client = new Client('http://127.0.0.1:1', 'ak', 'sk_hidden');
same(true, failure(fn () => serialize($client)) instanceof Exception, 'a client is stored');
$error = failure(fn () => new Client('http://127.0.0.1:1', 'ak', ''));
same('apiSecret is missing', $error->getMessage(), 'a secret that is missing');
same(true, failure(fn () => new Client('sms.example.com', 'ak', 'sk')) instanceof InvalidArgumentException, 'no address');

// Any PSR-18 client will do. What breaks in it may have arrived.
$task = ['task_no' => 'T1', 'created_at' => '2026-11-15T00:00:00.000Z', 'counts' => ['total' => 1], 'new' => [1]];
$page = ['items' => [], 'page' => 1, 'page_size' => 1, 'total' => 0, 'total_is_exact' => true, 'next_cursor' => null];
$http = new ListedAnswers([new NetworkIsAway('gone'), json($page), json($task), json(['code' => 'x'], 400)]);
$clock = new StillClock();
$client = new Client('http://127.0.0.1:1/base/', 'ak', 'sk', http: $http, clock: $clock, random: fn () => 0.5);
same('T1', $client->send('M1', ['1'])->taskNo, 'a send with another client');
same(['POST', 'GET', 'POST'], array_map(fn ($one) => $one->getMethod(), $http->seen), 'what went out');
same((string) $http->seen[0]->getBody(), (string) $http->seen[2]->getBody(), 'the same again');
same('/base/openapi/v1/messages/send/', $http->seen[0]->getRequestTarget(), 'the target that is signed');
same(0.15, round($clock->slept, 9), 'the pause');

// A field that may be null is left alone, removed or set.
foreach ([[[], '{}'], [['description' => null], '{"description":null}'], [['description' => ''], '{"description":""}']] as $one) {
    $http = new ListedAnswers([json(['url' => 'https://example.com/', 'webhook_no' => 'W1'])]);
    (new Client('http://127.0.0.1:1', 'ak', 'sk', http: $http))->updateWebhook('W1', ...$one[0]);
    same($one[1], (string) $http->seen[0]->getBody(), 'the body of a change');
}

// A property whose field is missing is not set; what has the wrong type is not of this API.
$read = new Task($task);
same(true, failure(fn () => $read->stage) instanceof Error, 'a field that is missing');
$http = new ListedAnswers([json(['task_no' => 7])]);
$error = failure(fn () => (new Client('http://127.0.0.1:1', 'ak', 'sk', http: $http))->task('T1'));
same('unreadable', $error instanceof ConnectionException ? $error->reason : null, 'a wrong type');

// One request after the other with another client; the input is read no further than what goes out, and no further after a failure.
$readUpTo = 0;
$numbers = (function () use (&$readUpTo) {
    for ($readUpTo = 1; $readUpTo <= 9; $readUpTo++) {
        yield (string) $readUpTo;
    }
})();
$http = new ListedAnswers([json($task), json(['code' => 'x', 'status' => 400], 400)]);
$client = new Client('http://127.0.0.1:1', 'ak', 'sk', retry: new RetryPolicy(attempts: 1), http: $http);
failure(fn () => $client->sendAll($numbers, templateNo: 'M1', batchId: 'b', numbersPerTask: 2));
same(2, count($http->seen), 'requests until a failure');
same(4, $readUpTo, 'numbers read until a failure');

// PSR-7 as others expect it.
$request = new Request('GET', 'https://Example.com:443/a%2Fb?x=%20', ['X-A' => '1']);
same('/a%2Fb?x=%20', $request->getRequestTarget(), 'a target');
same(['example.com'], $request->getHeader('host'), 'a host');
same('1, 2', $request->withAddedHeader('x-a', '2')->getHeaderLine('X-A'), 'a header twice');
same(null, $request->getUri()->getPort(), 'the usual port');
same('https://example.com:8443/a%2Fb?x=%20', (string) $request->getUri()->withPort(8443), 'another port');
same(true, failure(fn () => $request->withHeader('X', "a\r\nB: c")) instanceof InvalidArgumentException, 'two lines');
