<?php

require 'vendor/autoload.php';

use Postrider\Client;
use Postrider\ProblemException;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$request = [
    'templateNo' => getenv('POSTRIDER_TEMPLATE_NO'),
    'variableValues' => ['p1' => 'Ann'],
    'clientRequestId' => 'order-1000',
];
foreach ([1, 2] as $attempt) {
    $sent = $client->sendOrReplay(...$request, phones: ['13800139001']);
    echo $sent->replayed ? "replayed\n" : "accepted\n";
}
try {
    $client->send(...$request, phones: ['13800139002']);
} catch (ProblemException $error) {
    echo "$error->errorCode\n";
}
