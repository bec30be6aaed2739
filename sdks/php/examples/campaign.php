<?php

// Sends to every number of a file, one a line, and writes the receipts to a CSV file. Takes a name for the whole and both
// files. Run again with the same file and the same name, it sends nothing twice.

declare(strict_types=1);

use Postrider\Client;
use Postrider\SendAllProgress;

require 'vendor/autoload.php';

[, $batchId, $numbers, $receipts] = $argv;
$client = new Client(
    getenv('POSTRIDER_URL') ?: 'http://127.0.0.1:8080',
    (string) getenv('POSTRIDER_API_KEY'),
    (string) getenv('POSTRIDER_API_SECRET'),
);

/** One at a time: the file may be of any length. */
function readNumbers(string $path): Generator
{
    foreach (new SplFileObject($path) as $line) {
        if (trim($line) !== '') {
            yield trim($line);
        }
    }
}

$client->sendAll(
    readNumbers($numbers),
    templateNo: (string) getenv('POSTRIDER_TEMPLATE_NO'),
    variableValues: ['p1' => 'all'],
    batchId: $batchId,
    autoFreeze: true,
    autoSubmit: true,
    onProgress: function (SendAllProgress $progress): void {
        echo "{$progress->summary->numbers} numbers accepted\n";
    },
);
foreach ($client->tasks(batchId: $batchId) as $task) {
    $client->waitForTask($task->taskNo);
}
$out = fopen($receipts, 'w');
$rows = $client->receipts(batchId: $batchId)->csv()->writeTo($out);
fclose($out);
$batch = $client->batch($batchId);
echo "$rows receipts, {$batch->counts->delivered} delivered, charged {$batch->amounts->charged}\n";
