using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Browser.Checks;

/// <summary>What a client does in a page. Each check throws when something is wrong.</summary>
/// <param name="uri">The scheme, host and port of the server.</param>
internal sealed class Checks(string uri)
{
    private readonly string _uri = uri;
    private readonly int _thread = Environment.CurrentManagedThreadId;

    public async Task RequestsAsync()
    {
        await using CoapClient client = new();
        CoapResponse got = await client.GetAsync($"{_uri}/hello");
        Same("hello", got.GetText());
        Same(CoapCode.Content, got.Code);
        CoapResponse posted = await client.PostAsync($"{_uri}/echo", CoapContent.Text("a text"));
        Same("a text", posted.GetText());
        Same(CoapCode.NotFound, (await client.GetAsync($"{_uri}/nothing")).Code);
        Same($"{_uri}/uri", (await client.GetAsync($"{_uri}/uri")).GetText());
        Same(1L, client.Endpoint.Counters["ConnectionsOpened"]);
        OnOneThread();
    }

    public async Task BodiesAsync()
    {
        await using CoapClient client = new();
        foreach (int size in (int[])[0, 1, 1000, 70_000, 3_000_000])
        {
            byte[] body = new byte[size];
            for (int i = 0; i < size; i++)
            {
                body[i] = (byte)((i * 7) + (i >> 9));
            }

            CoapResponse response = await client.PostAsync($"{_uri}/echo", CoapContent.Binary(body));
            True(response.Payload.Span.SequenceEqual(body), $"{size} bytes came back as {response.Payload.Length} others");
        }

        OnOneThread();
    }

    public async Task ObservationAsync()
    {
        await using CoapClient client = new();
        int first = -1;
        int seen = 0;
        await using (CoapObservation observation = await client.ObserveAsync($"{_uri}/count"))
        {
            await foreach (CoapResponse notification in observation.ReadAllAsync())
            {
                OnOneThread();
                int count = int.Parse(notification.GetText());
                True(count >= seen, $"{count} after {seen}");
                seen = count;
                first = first < 0 ? count : first;
                if (count >= first + 3)
                {
                    break;
                }

                await client.PostAsync($"{_uri}/count", CoapContent.Text(""));
            }
        }

        // The end of the observation is told to the server.
        while ((await client.GetAsync($"{_uri}/observers")).GetText() != "0")
        {
            // It may be under way yet.
        }
    }

    public async Task CancellationAsync()
    {
        await using CoapClient client = new();
        using CancellationTokenSource cancellation = new();
        Task<CoapResponse> asked = client.GetAsync($"{_uri}/never", cancellation.Token);
        Same("hello", (await client.GetAsync($"{_uri}/hello")).GetText());
        await cancellation.CancelAsync();
        await ThrowsAsync<OperationCanceledException>(() => asked);
        CoapRequest request = new(CoapMethod.Get, $"{_uri}/never") { Timeout = TimeSpan.FromMilliseconds(50) };
        await ThrowsAsync<CoapTimeoutException>(() => client.SendAsync(request));
        Same("hello", (await client.GetAsync($"{_uri}/hello")).GetText());
        Same(1L, client.Endpoint.Counters["ConnectionsOpened"]);
        OnOneThread();
    }

    public async Task PingAsync()
    {
        await using CoapClient client = new();
        True(await client.PingAsync(_uri) > TimeSpan.Zero, "A ping took no time.");
        OnOneThread();
    }

    public async Task ReconnectionAsync()
    {
        CoapEndpointOptions options = new();
        options.Transports.Streams.ReconnectDelay = TimeSpan.FromMilliseconds(1);
        await using CoapClient client = new(options);
        await using CoapObservation observation = await client.ObserveAsync($"{_uri}/count");
        await using IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync().GetAsyncEnumerator();
        True(await notifications.MoveNextAsync(), "There is no first notification.");
        int before = int.Parse(notifications.Current.GetText());

        // The server releases all connections, and counts on.
        await ThrowsOrEndsAsync(() => client.PostAsync($"{_uri}/release", CoapContent.Text("")));
        do
        {
            True(await notifications.MoveNextAsync(), "The observation has ended.");
        }
        while (int.Parse(notifications.Current.GetText()) <= before);

        Same("hello", (await client.GetAsync($"{_uri}/hello")).GetText());
        True(client.Endpoint.Counters["ConnectionsOpened"] >= 2, "It did not connect again.");
        OnOneThread();
    }

    public async Task DisposalAsync()
    {
        CoapClient client = new();
        Same("hello", (await client.GetAsync($"{_uri}/hello")).GetText());
        Task<CoapResponse> asked = client.GetAsync($"{_uri}/never");
        await client.DisposeAsync();
        await ThrowsAsync<CoapException>(() => asked);
        await ThrowsAsync<ObjectDisposedException>(() => client.GetAsync($"{_uri}/hello"));
        Same(1L, client.Endpoint.Counters["ConnectionsClosed"]);
        OnOneThread();
    }

    public async Task ServingAsync()
    {
        await using CoapServer page = new();
        page.MapGet("/title", () => CoapResults.Text("a page"));
        page.MapGet("/slow", async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(20), TimeProvider.System);
            return CoapResults.Text("slow");
        });
        page.MapGet("/queued", () => CoapResults.Text("queued")).WithExecution(queued: 1);
        await page.Endpoint.PingAsync(_uri);
        await using CoapClient client = new(page.Endpoint);
        Same("a page, slow, queued", (await client.GetAsync($"{_uri}/back")).GetText());
        ThrowsAtOnce<ArgumentException>(() => page.Listen("coap://[::]"));
        OnOneThread();
    }

    public async Task ManyAsync()
    {
        await using CoapClient client = new();
        CoapResponse[] responses = await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => client.GetAsync($"{_uri}/hello")));
        True(responses.All(static response => response.GetText() == "hello"), "A response was another one.");
        OnOneThread();
    }

    public static async Task AbsentServerAsync()
    {
        await using CoapClient client = new();
        CoapConnectionException error = await ThrowsAsync<CoapConnectionException>(() => client.GetAsync("coap+ws://localhost:1/hello"));
        True(error.Message.Contains("ws://localhost:1/.well-known/coap", StringComparison.Ordinal), error.Message);
    }

    public static async Task SchemesAsync()
    {
        await using CoapClient client = new();
        foreach (string scheme in (string[])["coap", "coap+tcp", "coaps", "coaps+tcp"])
        {
            CoapException error = await ThrowsAsync<CoapException>(() => client.GetAsync($"{scheme}://device.example/hello"));
            True(error.Message.Contains($"Use {scheme.Replace("+tcp", "", StringComparison.Ordinal)}+ws", StringComparison.Ordinal),
                error.Message);
        }
    }

    [SuppressMessage("Interoperability", "CA1416", Justification = "it shows what becomes of that")]
    public async Task OptionsAsync()
    {
        CoapEndpointOptions options = new();
        options.Transports.WebSockets.Headers["Authorization"] = "Bearer token";
        await using CoapClient client = new(options);
        await ThrowsAsync<PlatformNotSupportedException>(() => client.GetAsync($"{_uri}/hello"));
    }

    private static void Same<T>(T expected, T actual) =>
        True(EqualityComparer<T>.Default.Equals(expected, actual), $"Expected {expected}, and it was {actual}.");

    private static void True(bool condition, string message)
    {
        if (!condition)
        {
            throw new InvalidOperationException(message);
        }
    }

    private void OnOneThread() => Same(_thread, Environment.CurrentManagedThreadId);

    private static async Task<T> ThrowsAsync<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T expected)
        {
            return expected;
        }

        throw new InvalidOperationException($"There was no {typeof(T).Name}.");
    }

    private static void ThrowsAtOnce<T>(Action action)
        where T : Exception
    {
        try
        {
            action();
        }
        catch (T)
        {
            return;
        }

        throw new InvalidOperationException($"There was no {typeof(T).Name}.");
    }

    private static async Task ThrowsOrEndsAsync(Func<Task> action)
    {
        try
        {
            await action();
        }
        catch (CoapException)
        {
            // The connection may end before the response is there.
        }
    }
}
