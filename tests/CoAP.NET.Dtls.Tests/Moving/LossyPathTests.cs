using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// Two endpoints of this library over a bad network: each request ends once and with the right bytes, and nothing of it is left.
/// </summary>
public sealed class LossyPathTests
{
    private const int MostRounds = 10;

    // Copies of what is lost follow each other more and more slowly, and by chance one is lost ten times.
    private static readonly TimeSpan s_hangLimit = FromMinutes(5);
    private static readonly byte[] s_body = [.. Enumerable.Range(0, 64 * 1024).Select(i => (byte)(i ^ (i >> 8)))];

    // Whoever has moved gets small blocks, and goes on with them.
    private static readonly byte[] s_small = s_body[..(20 * 1024)];

    [Theory]
    [InlineData(10, true, 0)]
    [InlineData(20, true, 0)]
    [InlineData(20, true, 7)]
    [InlineData(30, false, 0)]
    [InlineData(30, false, 7)]
    public async Task Each_request_over_a_lossy_path_ends_once_with_its_own_response(int loss, bool isConfirmable, int forgetsEvery)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = await StartAsync(size))
        {
            await using LossyPath path = new(secure.Endpoint, seed: loss);
            CoapClient client = Client(secure, size);
            await client.GetAsync($"{path.Host}/hello");
            (path.Loss, path.ForgetsEvery) = (loss, forgetsEvery);
            int answered = 0;

            // All are said at once, so that the answers to most may go to where the client was. What nobody repeats is said again in
            // another round where none came in time, as on a busy machine.
            int least = isConfirmable ? 60 : forgetsEvery == 0 ? 10 : 0;
            for (int round = 0; round == 0 || (round < MostRounds && answered < least); round++)
            {
                await Task.WhenAll(Enumerable.Range(0, 60).Select(AskAsync));
            }

            Assert.InRange(answered, least, 60 * MostRounds);
            Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
            await EndAsync(secure, client, path);

            async Task AskAsync(int i)
            {
                CoapRequest request = new(CoapMethod.Get, $"{path.Host}/say?i={i}")
                {
                    Confirmable = isConfirmable,
                    Timeout = isConfirmable ? null : FromSeconds(1)
                };
                try
                {
                    await client.SendAsync(request).WaitAsync(s_hangLimit).Says($"{i}");
                    Interlocked.Increment(ref answered);
                }
                catch (CoapTimeoutException) when (!isConfirmable)
                {
                    // Said once, and lost on the way there or back.
                }
            }
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [InlineData(CoapQBlockPolicy.Off, 0)]
    [InlineData(CoapQBlockPolicy.Off, 40)]
    [InlineData(CoapQBlockPolicy.Secured, 0)]
    [InlineData(CoapQBlockPolicy.Secured, 12)]
    [Rfc("9146-6-1", "7959-7-1", "9146-C-1")]
    public async Task Bodies_arrive_complete_in_both_directions(CoapQBlockPolicy qBlock, int forgetsEvery)
    {
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = await StartAsync(size, qBlock))
        {
            await using LossyPath path = new(secure.Endpoint, seed: 5);
            CoapClient client = Client(secure, size, qBlock);
            await client.GetAsync($"{path.Host}/hello");
            (path.Loss, path.ForgetsEvery) = (10, forgetsEvery);

            (string name, byte[] body) = forgetsEvery == 0 ? ("body", s_body) : ("small", s_small);
            CoapResponse up = await AnswerAsync(client,
                () => new(CoapMethod.Put, $"{path.Host}/{name}")
                {
                    Confirmable = qBlock == CoapQBlockPolicy.Off,
                    Content = CoapContent.Binary(body)
                });
            CoapResponse down = await AnswerAsync(client,
                () => new(CoapMethod.Get, $"{path.Host}/{name}") { Confirmable = qBlock == CoapQBlockPolicy.Off });

            Assert.Equal((true, CoapCode.Content), (up.Code.IsSuccess, down.Code));
            Assert.Equal("True", up.GetText());
            Assert.True(down.Payload.Span.SequenceEqual(body));
            Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
            Assert.Equal(forgetsEvery > 0, path.Rebinds > 0);
            await EndAsync(secure, client, path);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    [Theory]
    [InlineData(true, 0)]
    [InlineData(true, 9)]
    [InlineData(false, 0)]
    [Rfc("7641-7-2")]
    public async Task An_observer_gets_the_last_state_in_the_end(bool confirmable, int forgetsEvery)
    {
        const int last = 25;
        int state = 0;
        int size = BufferBalance.NextSize();
        await using (SecureEndpoints secure = await StartAsync(size))
        {
            CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}"))
                .Observable(observe => observe.Confirmable = confirmable);
            await using LossyPath path = new(secure.Endpoint, seed: 11);
            CoapClient client = Client(secure, size);
            await using (CoapObservation observation = await client.ObserveAsync($"{path.Host}/state").WaitAsync(s_hangLimit))
            {
                (path.Loss, path.ForgetsEvery) = (15, forgetsEvery);
                using CancellationTokenSource guard = new(s_hangLimit);
                int seen = -1;
                await foreach (CoapResponse response in observation.ReadAllAsync(guard.Token))
                {
                    int now = int.Parse(response.GetText(), System.Globalization.CultureInfo.InvariantCulture);
                    Assert.True(now > seen);
                    seen = now;
                    if (now == last)
                    {
                        break;
                    }

                    // Something goes from the client, so that the server learns where it is, and finds out whether it receives there; what
                    // was lost meanwhile is told by what comes after it.
                    do
                    {
                        Volatile.Write(ref state, Math.Min(Volatile.Read(ref state) + 1, last));
                        route.Notify();
                        await client.GetAsync($"{path.Host}/hello", guard.Token);
                    }
                    while (observation.Latest?.GetText() == response.GetText());
                }

                Assert.Equal(1, secure.Server.ObserverCount);
                path.Loss = 0;
            }

            await EndAsync(secure, client, path);
            Assert.Equal(0, secure.Server.ObserverCount);
        }

        await Eventually.IsTrueAsync(() => BufferBalance.Out(size) == 0);
    }

    // A challenge (RFC 9175 section 2.3) is answered once; whose answer comes from yet another address is told 4.01, and asks again.
    private static async Task<CoapResponse> AnswerAsync(CoapClient client, Func<CoapRequest> make)
    {
        CoapResponse response;
        do
        {
            response = await client.SendAsync(make()).WaitAsync(s_hangLimit);
        }
        while (response.Code == CoapCode.Unauthorized);
        return response;
    }

    private static async Task EndAsync(SecureEndpoints secure, CoapClient client, LossyPath path)
    {
        (path.Loss, path.ForgetsEvery) = (0, 0);

        // The server learns where the client is, so that either end hears of the end.
        await client.GetAsync($"{path.Host}/hello").WaitAsync(s_hangLimit);
        await Eventually.IsTrueAsync(() => secure.Server.Endpoint.Served.Count == 0
            && client.Endpoint.Pipelines.Sum(pipeline => pipeline.Messages.Outstanding) == 0);
        await client.Endpoint.ConnectedPeers.Single().ReleaseAsync().WaitAsync(s_hangLimit);
        await Eventually.IsTrueAsync(() => secure.Server.Endpoint.ConnectedPeers.Count == 0);
        Assert.Empty(client.Endpoint.ConnectedPeers);
        await Eventually.IsTrueAsync(() => LeftOver(secure.Server.Endpoint) + LeftOver(client.Endpoint) == 0);
        Assert.Equal(0, secure.Transport.Engine!.Server!.SessionCount);
    }

    private static int LeftOver(CoapEndpoint endpoint) =>
        endpoint.Pipelines.Sum(pipeline => pipeline.Messages.Outstanding + pipeline.Messages.Waiting + pipeline.Blockwise.Requests.Count);

    private static async Task<SecureEndpoints> StartAsync(int size, CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off)
    {
        SecureEndpoints secure = new(endpoint: options => Configure(options, size, qBlock));
        secure.Server.MapGet("/say", request => CoapResults.Text(request.TryGetQuery("i", out string? i) ? i : "none"));
        foreach ((string name, byte[] body) in new[] { ("/body", s_body), ("/small", s_small) })
        {
            secure.Server.MapGet(name, () => CoapResults.Bytes(body));
            secure.Server.MapPut(name, request => CoapResults.Text($"{request.Payload.Span.SequenceEqual(body)}"));
        }

        return await secure.StartAsync();
    }

    private static CoapClient Client(SecureEndpoints secure, int size, CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off) => secure.Client(
        // A server that is not heard for a while is looked for by a handshake; here it is there, however much is lost.
        endpoint: options => Configure(options, size, qBlock), silence: FromHours(1));

    // Times are short, and copies many: what is lost often must not make a request fail, nor a test long.
    private static void Configure(CoapEndpointOptions options, int size, CoapQBlockPolicy qBlock)
    {
        options.Limits.Peers.TrustedPrefixes.Clear();
        options.Limits.Messages.MaxDatagramSize = size;
        options.UseQBlock(qBlock);
        options.Parameters = CoapTransmissionParameters.Default with
        {
            AckTimeout = FromMilliseconds(20),
            AckRandomFactor = 1.5,
            MaxRetransmit = 14,
            NStart = 16,
            MaxLatency = FromSeconds(1),
            NonTimeout = FromMilliseconds(40),
            NonReceiveTimeout = FromMilliseconds(100),
            NonMaxRetransmit = 10,
        };
    }
}
