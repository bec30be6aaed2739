package dev.postrider;

import dev.postrider.model.Recipient;
import dev.postrider.model.SendRequest;
import dev.postrider.model.Task;
import dev.postrider.model.TaskDetail;
import dev.postrider.model.TaskFilters;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * A client of the customer API. It may be used by several threads. An interrupt of the calling thread ends a call with a
 * {@link ConnectionException}.
 *
 * <pre>{@code
 * try (Client client = Client.builder("https://sms.example.com").credentials(apiKey, apiSecret).build()) {
 *     Task task = client.send(SendRequest.builder().templateNo("M1").phones("13800139001").clientRequestId("order-1").build());
 * }
 * }</pre>
 */
public final class Client extends CustomerCalls implements AutoCloseable {
    private final ExecutorService executor;

    private Client(Core core, Duration timeout, ExecutorService executor) {
        super(core, timeout);
        this.executor = executor;
    }

    /**
     * Begins a client. Nothing is sent by making one.
     *
     * @param baseUrl where the service answers, such as {@code https://sms.example.com}
     * @return its options
     */
    public static Builder builder(String baseUrl) {
        return new Builder(baseUrl);
    }

    /**
     * This client with another time limit; its connections are the same, and are closed with it.
     *
     * @param limit for one attempt, from the connection to the last byte; in a file for the wait for each piece
     * @return the client
     */
    public Client withTimeout(Duration limit) {
        return new Client(core, limit, null);
    }

    /**
     * Sends, and says whether the same had been accepted before.
     *
     * @param request what to send; without a {@code clientRequestId} it gets one
     * @return the task, and whether it was a replay
     */
    public SentTask sendOrReplay(SendRequest request) {
        return sendOnce(request);
    }

    /**
     * Sends to any number of numbers, as {@link #sendAll(SendRequest, Iterable, SendAllOptions)} does, in tasks of 5,000.
     *
     * @param request what to send, without numbers and id
     * @param numbers who to, such as {@code Recipient.of("13800139001")}
     * @return what was accepted
     */
    public SendAllSummary sendAll(SendRequest request, Iterable<Recipient> numbers) {
        return sendAll(request, numbers, SendAllOptions.DEFAULT);
    }

    /**
     * Sends to any number of numbers. They are read no further ahead than what is under way, and cut into tasks under one
     * {@code batchId}. Run again with the same input after a failure, it repeats nothing that was accepted; other numbers under the same
     * {@code batchId} are refused with {@code idempotency_conflict}. Variables of a number go before the common ones.
     *
     * @param request what to send, without numbers and id
     * @param numbers who to, read by several threads, one at a time
     * @param options how
     * @return what was accepted
     */
    public SendAllSummary sendAll(SendRequest request, Iterable<Recipient> numbers, SendAllOptions options) {
        RequestCutter requests = new RequestCutter(request.fields(), numbers.iterator(), options.numbersPerTask());
        return new AllSender(core, timeout, options, requests).run();
    }

    /**
     * The task of one business request of yours.
     *
     * @param clientRequestId its id
     * @return empty when it was never accepted
     */
    public Optional<Task> findTask(String clientRequestId) {
        TaskFilters filters = TaskFilters.builder().clientRequestId(clientRequestId).build();
        return tasks(filters).pageSize(1).page().items().stream().findFirst();
    }

    /**
     * Follows a task until it has finished, or waits for its caller, without a limit.
     *
     * @param taskNo which
     * @return the task, as {@link #waitForTask(String, WaitOptions)} says
     */
    public TaskDetail waitForTask(String taskNo) {
        return waitForTask(taskNo, WaitOptions.DEFAULT);
    }

    /**
     * Follows a task until it has finished, or waits for its caller.
     *
     * @param taskNo which
     * @param options for how long
     * @return the task. {@code waitsFor} says for what it waits: {@code prepare}, {@code freeze}, {@code submit}, {@code funds},
     *     {@code limit} or {@code resume}; it is null when the task has finished, or {@code until} ended the wait
     * @throws WaitTimeoutException when the time is over
     */
    public TaskDetail waitForTask(String taskNo, WaitOptions options) {
        return new TaskWait(core, timeout, taskNo, options).run();
    }

    /**
     * Calls anything that this client has no method for. A GET is retried, anything else only where the first attempt certainly did
     * nothing.
     *
     * @param method GET, POST, PATCH or DELETE
     * @param path encoded
     * @param query its parameters
     * @param body what is written as JSON; null: nothing
     * @return the JSON of the answer: maps, lists, texts, numbers, Boolean and null
     */
    public Object request(String method, String path, Map<String, ?> query, Object body) {
        return exchange(method, path, query, body, method.equals("GET")).value();
    }

    /**
     * Ends the threads of the connections, unless they were given. The last of them, which is that of {@code HttpClient}, goes when the
     * client is no longer referred to.
     */
    @Override
    public void close() {
        if (executor != null) executor.shutdown();
    }

    @Override
    public String toString() {
        return "Client of " + core;
    }

    /** The options of a client. */
    public static final class Builder {
        final String baseUrl;
        String apiKey;
        String apiSecret;
        String userAgent;
        Clock clock = Clock.system();
        RetryPolicy retry = RetryPolicy.DEFAULT;
        DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
        private Duration timeout = Duration.ofSeconds(30);
        private HttpClient http;

        private Builder(String baseUrl) {
            this.baseUrl = baseUrl;
        }

        /**
         * Who calls. Keep the secret on a server.
         *
         * @param key the API key
         * @param secret its secret, which no text of a client or an error shows
         * @return this
         */
        public Builder credentials(String key, String secret) {
            apiKey = key;
            apiSecret = secret;
            return this;
        }

        /**
         * The time limit.
         *
         * @param limit for one attempt (30 s), from the connection to the last byte; in a file for the wait for each piece
         * @return this
         */
        public Builder timeout(Duration limit) {
            timeout = limit;
            return this;
        }

        /**
         * How calls are tried again.
         *
         * @param policy the policy
         * @return this
         */
        public Builder retry(RetryPolicy policy) {
            retry = policy;
            return this;
        }

        /**
         * Replaces the connections: for a proxy, certificates, a test.
         *
         * @param client one that follows no redirects
         * @return this
         */
        public Builder httpClient(HttpClient client) {
            http = client;
            return this;
        }

        /**
         * Replaces the clock, for a test.
         *
         * @param given the clock
         * @return this
         */
        public Builder clock(Clock given) {
            clock = given;
            return this;
        }

        /**
         * Replaces chance, for a test.
         *
         * @param given gives numbers from 0 to 1
         * @return this
         */
        public Builder random(DoubleSupplier given) {
            random = given;
            return this;
        }

        /**
         * For the logs of the service.
         *
         * @param text goes into the header {@code User-Agent}
         * @return this
         */
        public Builder userAgent(String text) {
            userAgent = text;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return the client
         * @throws IllegalArgumentException when something is missing
         */
        public Client build() {
            if (http == null) {
                ExecutorService executor = Executors.newCachedThreadPool(Builder::startThread);
                HttpClient own = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .executor(executor)
                        .build();
                return new Client(new Core(this, own), timeout, executor);
            }
            // A signature holds for one target.
            if (http.followRedirects() != HttpClient.Redirect.NEVER) {
                throw new IllegalArgumentException("httpClient must not follow redirects");
            }
            return new Client(new Core(this, http), timeout, null);
        }

        private static Thread startThread(Runnable task) {
            Thread thread = new Thread(task, "postrider-http");
            thread.setDaemon(true);
            return thread;
        }
    }
}
