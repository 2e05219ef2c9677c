using System.Collections.Concurrent;
using System.Globalization;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Endpoints;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing.Server;
using CoAP.NET.Signalling;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Transports.Streams;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Connections;

/// <summary>
/// Two endpoints, each client and server, joined by connections that break, are released, aborted, held up and told of other sizes at
/// moments drawn by lot, while both ask, upload, download, observe and ping: each request ends once and with its own answer, nothing that
/// is not idempotent is done twice, and nothing is left in the end. COAP_TEST_CAMPAIGN multiplies the length, COAP_TEST_SEED changes what
/// happens.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class MeshCampaignTests
{
    private const int Steps = 400;

    // So many steps happen side by side with what they began, then all of that is waited for: however long the system keeps a thread from
    // its work, no more virtual time passes meanwhile.
    private const int StepsAtOnce = 20;
    private const string Uri = "coap+tcp://192.0.2.1";

    // What one end may hear though the other did not send it: CSMs of sizes that the other takes, answers that nobody waits for, pings,
    // Release, Abort, codes without meaning.
    private static readonly string[] s_frames =
    [
        "10e120", "20e12100", "20e12101", "20e12108", "20e12140", "30e1220100", "30e1220480", "10e140", "01437f", "0845aabbccddeeff0011",
        "01e242", "11e24220",
        "01e342", "00e3", "11e34220", "0000", "00e4", "00e5", "60e52109ff626164", "10e190", "00e8", "2101aab178", "51011060536f6273",
        "6101106101536f6273", "5101bbb4736c6f77",
    ];

    private readonly VirtualClock _clock = new();
    private readonly Lock _gate = new();
    private readonly List<Task> _asked = [];
    private readonly List<CoapObservation> _observations = [];
    private readonly List<CancellationTokenSource> _patience = [];
    private readonly ConcurrentQueue<TaskCompletionSource> _slow = new();
    private readonly ConcurrentDictionary<string, int> _posts = new();
    private readonly List<CoapRouteHandlerBuilder> _observed = [];
    private readonly ConcurrentQueue<string> _errors = new();
    private int _begun;
    private int _ended;
    private int _answered;
    private int _connected;
    private int _disconnected;
    private int _lastId;

    public static TheoryData<int> Seeds() => [.. Enumerable.Range(Campaign.Seed, Campaign.Rounds(6))];

    [Theory]
    [Rfc("8323-3.3-4", "8323-3.4-2", "8323-3.3-5")]
    [MemberData(nameof(Seeds))]
    public async Task Each_request_ends_once_and_leaves_nothing_behind_under_random_connection_events(int seed)
    {
        Dice random = new(seed);
        (CoapServer one, WiredTransport ours) = Make(random, seed);
        (CoapServer two, WiredTransport theirs) = Make(random, seed + 1);
        (ours.Other, theirs.Other) = (theirs, ours);
        CoapServer[] both = [one, two];
        WiredTransport[] wires = [ours, theirs];
        await one.StartAsync();
        await two.StartAsync();
        for (int i = 0; i < Steps; i++)
        {
            Step(random, both, wires);
            if (i % StepsAtOnce == 0)
            {
                await _clock.SettleAsync();
            }
        }

        bool stops = random.Next(4) == 0;
        if (stops)
        {
            await _clock.AdvanceUntilAsync(one.StopAsync(), FromHours(1));
        }

        await CalmAsync(both, wires);

        Assert.True(_answered > Steps / 20, $"Only {_answered} of {_begun} were answered.");
        Assert.Equal(_begun, _ended);
        Assert.All(_posts, static post => Assert.Equal(1, post.Value), throwIfEmpty: true);
        Check(both, wires, stops ? [one.Endpoint] : []);
        await one.DisposeAsync();
        await two.DisposeAsync();
        Assert.Equal(_connected, _disconnected);
        Assert.All(wires.SelectMany(static wire => wire.Connections), static connection => Assert.True(connection.IsClosed),
            throwIfEmpty: true);
    }

    private void Check(CoapServer[] both, WiredTransport[] wires, object?[] stopped)
    {
        foreach (CoapServer server in both)
        {
            CoapEndpoint endpoint = server.Endpoint;
            Assert.True(_errors.IsEmpty, string.Join(Environment.NewLine, _errors));
            Assert.Equal(0, endpoint.Counters[CoapCounter.StageErrors]);
            Assert.Equal(0, endpoint.Observed.Count);
            Assert.Equal(0, endpoint.Connections.Count);
            Assert.Equal(0, server.ObserverCount);
            Assert.Equal(0, endpoint.Served.Count);
            foreach (CoapShardPipeline pipeline in endpoint.Pipelines)
            {
                lock (pipeline.Shard.Gate)
                {
                    Assert.Equal(0, pipeline.Blockwise.Requests.Count);
                    Assert.Equal(0, pipeline.Blockwise.Responses.Count);
                    Assert.Equal(0, pipeline.Blockwise.Responses.SharedCount);
                }
            }
        }

        foreach (CoapChannel channel in wires.SelectMany(static wire => wire.Connections).Select(static connection => connection.Channel)
            .OfType<CoapChannel>())
        {
            Assert.True(channel.IsForgotten);
            Assert.Equal(0, channel.Pins);
            if (!stopped.Contains(((EndpointCore)channel.Shard.Endpoint).Face))
            {
                // What a stop gave up is not counted any more.
                Assert.Equal(0, channel.Connection!.Requests!.Count);
                Assert.Equal(0, ((WiredTransport.WiredConnection)channel.Connection!).Pauses);
            }

            Assert.Null(PeerObservers.Of(channel));
            Assert.False(ConnectionSignallingState.Of(channel)!.IsScheduled);
            Assert.Empty(((StreamState)ConnectionSignallingState.Of(channel)!).Waiting);
            if (PeerExchanges.Of(channel) is { } exchanges)
            {
                Assert.Empty(exchanges.Pending);
                Assert.Null(exchanges.MultiResponseTokens);
            }
        }

    }

    private (CoapServer Server, WiredTransport Wire) Make(Dice random, int seed)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = _clock,
            Pipeline = { Random = new VirtualRandom((ulong)seed) },
            Processes = { StopGracePeriod = FromSeconds(10) },
            LoggerFactory = new ErrorLog(_errors)
        };
        options.Limits.Connections.MaxMessageSize = random.Next(3) switch { 0 => 1152, 1 => random.Next(1153, 9000), _ => 1 << 20 };
        options.Limits.Connections.MaxRequests = random.Next(2) == 0 ? 4 : 1000;
        options.Transports.Streams.MaxReconnectDelay = FromSeconds(4);
        options.Transports.Streams.IdleTimeout = FromSeconds(random.Next(20, 300));
        options.Transports.Streams.KeepAliveInterval = FromSeconds(random.Next(5, 60));
        CoapServer server = new(options);
        server.MapGet("/echo/{id}", static request => CoapResults.Text(request.Route["id"]!));
        server.MapGet("/slow/{id}", async (CoapRequestContext request) =>
        {
            TaskCompletionSource goesOn = new(RunContinuationsAsynchronously);
            _slow.Enqueue(goesOn);
            await goesOn.Task;
            return CoapResults.Text(request.Route["id"]!);
        });
        server.MapGet("/large/{size}", static request => CoapResults.Bytes(Frames.Bytes(Number(request.Route["size"]!), 1)));
        server.MapPost("/once/{id}", request =>
        {
            _posts.AddOrUpdate(request.Route["id"]!, 1, static (_, count) => count + 1);
            return CoapResults.Text(request.Route["id"]!);
        }).WithMaxBodySize(1 << 20);
        server.MapPut("/body/{size}", static request => request.Payload.Span.SequenceEqual(Frames.Bytes(Number(request.Route["size"]!), 2))
            ? CoapResults.Changed() : CoapResults.BadRequest("These are other bytes.")).WithMaxBodySize(1 << 20);
        server.MapPut("/stream/{size}", static async (CoapRequestContext request) =>
        {
            MemoryStream body = new();
            await request.BodyReader.CopyToAsync(body);
            return body.ToArray().AsSpan().SequenceEqual(Frames.Bytes(Number(request.Route["size"]!), 2))
                ? CoapResults.Changed()
                : CoapResults.BadRequest("These are other bytes.");
        }).WithStreamedBody().WithMaxBodySize(1 << 20);
        _observed.Add(server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref _lastId)}")).Observable());
        _observed.Add(server.MapGet("/states", () => CoapResults.Bytes(Frames.Bytes(5000, Volatile.Read(ref _lastId)))).Observable());
        server.Endpoint.PeerConnected += (_, _) => Interlocked.Increment(ref _connected);
        server.Endpoint.PeerDisconnected += (_, _) => Interlocked.Increment(ref _disconnected);
        WiredTransport wire = new();
        server.Endpoint.AddTransport(wire);
        wire.Connecting = cancellationToken =>
            Chance(random, 20) ? Task.FromException(new CoapConnectionException(CoapError.ConnectFailed, "Nobody listens."))
                : Chance(random, 20) ? Task.Delay(FromSeconds(1), _clock, cancellationToken) : Task.CompletedTask;
        return (server, wire);
    }

    // Now everything works and handlers answer; whoever is silent stays so until his time is over.
    private async Task CalmAsync(CoapServer[] both, WiredTransport[] wires)
    {
        foreach (WiredTransport wire in wires)
        {
            wire.Connecting = null;
        }

        for (int i = 0; i < 50_000; i++)
        {
            while (_slow.TryDequeue(out TaskCompletionSource? slow))
            {
                slow.SetResult();
            }

            foreach (WiredTransport.WiredConnection connection in wires.SelectMany(static wire => wire.Connections))
            {
                connection.BecomeWritable();
            }

            foreach (CoapObservation observation in Copy(_observations))
            {
                await observation.DisposeAsync();
            }

            if (Task.WhenAll(Copy(_asked)).IsCompleted
                && both.All(static server => server.Endpoint.Observed.Count == 0 && server.Endpoint.Served.Count == 0))
            {
                break;
            }

            _clock.Advance(FromSeconds(1));
            await _clock.SettleAsync();
        }

        await Within(Task.WhenAll(Copy(_asked)));
        await Eventually.IsTrueOrHangsAsync(() =>
        {
            foreach (WiredTransport.WiredConnection connection in wires.SelectMany(static wire => wire.Connections))
            {
                connection.Break(null);
            }

            return both.All(static server => server.Endpoint.Connections.Count == 0);
        });

        // The thread that sent a request, or observes, may still hold the channel for a moment after the end has come back to whoever
        // asked.
        CoapChannel[] channels = [
            .. wires.SelectMany(static wire => wire.Connections).Select(static connection => connection.Channel).OfType<CoapChannel>()];
        await Eventually.IsTrueOrHangsAsync(() => channels.All(static channel => channel is { IsForgotten: true, Pins: 0 }));
        await _clock.SettleAsync();
    }

    private List<T> Copy<T>(List<T> list)
    {
        lock (_gate)
        {
            return [.. list];
        }
    }

    private static Task Within(Task task) => task.WaitAsync(FromMinutes(2));

    private static bool Chance(Dice random, int percent) => random.Next(100) < percent;

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    /// <summary>Keeps what stages say of themselves: an error in one of them.</summary>
    private sealed class ErrorLog(ConcurrentQueue<string> errors) : TestLogger
    {
        public override bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

        // An answer that is larger than the peer takes is not the stage's error.
        protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
        {
            if (exception is not null && level >= LogLevel.Error)
            {
                errors.Enqueue($"{text} {exception}");
            }
        }
    }

    private void Step(Dice random, CoapServer[] both, WiredTransport[] wires)
    {
        CoapServer server = both[random.Next(2)];
        WiredTransport.WiredConnection[] open = [
            .. wires[random.Next(2)].Connections.Where(static connection => connection is { IsClosed: false, Channel: not null })];
        WiredTransport.WiredConnection? connection = open.Length == 0 ? null : open[random.Next(open.Length)];
        switch (random.Next(24))
        {
            case < 9:
                Ask(random, server,
                    random.Next(3) == 0 && server.Endpoint.ConnectedPeers is { Count: > 0 } peers ? peers[random.Next(peers.Count)] : null);
                break;
            case 9 or 10:
                Observe(random, server);
                break;
            case 11:
                Interlocked.Increment(ref _lastId);
                _observed[random.Next(_observed.Count)].Notify();
                break;
            case 12 when connection is not null && random.Next(2) == 0:
                connection.Break(random.Next(2) == 0 ? new IOException("reset") : null);
                break;
            case 13 when connection is not null && random.Next(2) == 0:
                connection.Close(null);
                break;
            case 14 when connection is not null && random.Next(3) == 0:
                Track(CoapPeer.Of(connection.Channel!).ReleaseAsync(random.Next(3) == 0 ? FromSeconds(3) : null));
                break;
            case 15 when connection is not null:
                Track(CoapPeer.Of(connection.Channel!).PingAsync(cancellationToken: Patience(random)));
                break;
            case 16 or 17 when connection is not null:
                connection.Arrive(Wire.Hex(s_frames[random.Next(s_frames.Length)]));
                break;
            case 18 when connection is not null:
                connection.IsFull = !connection.IsFull;
                break;
            case 19 when connection is not null:
                connection.BecomeWritable();
                break;
            case 20 when _patience.Count > 0:
                _patience[random.Next(_patience.Count)].Cancel();
                break;
            case 21:
                Track(server.Endpoint.PingAsync(Uri, cancellationToken: Patience(random)));
                break;
            case 22 when _slow.TryDequeue(out TaskCompletionSource? slow):
                slow.SetResult();
                break;
            default:
                _clock.Advance(FromMilliseconds(random.Next(1, 4000)));
                break;
        }
    }

    private void Ask(Dice random, CoapServer server, CoapPeer? peer)
    {
        string id = $"{Interlocked.Increment(ref _lastId)}";
        int size = random.Next(3) == 0 ? random.Next(40_000) : random.Next(2000);
        (CoapMethod method, string path, CoapContent? content, string? expected) = random.Next(6) switch
        {
            0 => (CoapMethod.Get, $"/slow/{id}", null, id),
            1 => (CoapMethod.Get, $"/large/{size}", null, null),
            2 => (CoapMethod.Post, $"/once/{id}", Content(random, size), id),
            3 => (CoapMethod.Put, $"/body/{size}", Content(random, size), string.Empty),
            4 => (CoapMethod.Put, $"/stream/{size}", Content(random, size), string.Empty),
            _ => (CoapMethod.Get, $"/echo/{id}", (CoapContent?)null, id),
        };
        CoapRequest request = new(method, peer is null ? Uri + path : path)
        {
            Content = content,
            Timeout = random.Next(2) == 0 ? FromSeconds(random.Next(1, 40)) : null,
        };
        CancellationToken cancellationToken = Patience(random);
        Track(CompareAsync(peer is null
            ? server.Endpoint.SendAsync(request, cancellationToken)
            : peer.SendAsync(request, cancellationToken), expected, path, size));
    }

    private async Task CompareAsync(Task<CoapResponse> asked, string? expected, string path, int size)
    {
        CoapResponse response = await asked;
        if (!response.IsSuccess)
        {
            // It takes too little, stops, or was aborted in the middle of a body; but never got other bytes.
            Assert.NotEqual("These are other bytes.", response.GetText());
            Assert.NotEqual(CoapCode.NotFound, response.Code);
            return;
        }

        if (expected is null)
        {
            Assert.True(response.Payload.Span.SequenceEqual(Frames.Bytes(size, 1)), $"{path} gave {response.Payload.Length} other bytes.");
        }
        else
        {
            response.Says(expected);
        }

        Interlocked.Increment(ref _answered);
    }

    private static CoapContent Content(Dice random, int size)
    {
        byte[] body = Frames.Bytes(size, 2);
        return random.Next(2) == 0
            ? CoapContent.Binary(body)
            : CoapContent.Stream(random.Next(2) == 0 ? new MemoryStream(body) : new Unseekable(body));
    }

    private void Observe(Dice random, CoapServer server)
    {
        if (random.Next(2) == 0)
        {
            CoapObservation? some;
            lock (_gate)
            {
                some = _observations.Count == 0 ? null : _observations[random.Next(_observations.Count)];
            }

            if (some is not null)
            {
                Track(some.DisposeAsync().AsTask());
            }

            return;
        }

        string path = random.Next(2) == 0 ? "/state" : "/states";
        CoapRequest request = new(CoapMethod.Get, path);
        Track(KeepAsync(random.Next(2) == 0 && server.Endpoint.ConnectedPeers is { Count: > 0 } peers
            ? peers[random.Next(peers.Count)].ObserveAsync(request, null, Patience(random))
            : server.Endpoint.ObserveAsync(Uri + path, Patience(random))));
    }

    private async Task KeepAsync(Task<CoapObservation> begun)
    {
        CoapObservation observation = await begun;
        lock (_gate)
        {
            _observations.Add(observation);
        }
    }

    private CancellationToken Patience(Dice random)
    {
        if (random.Next(3) > 0)
        {
            return CancellationToken.None;
        }

        CancellationTokenSource patience = new();
        _patience.Add(patience);
        return patience.Token;
    }

    private void Track(Task asked)
    {
        Interlocked.Increment(ref _begun);
        lock (_gate)
        {
            _asked.Add(AwaitAsync(asked));
        }
    }

    private async Task AwaitAsync(Task asked)
    {
        try
        {
            await asked;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // These are ends too.
        }
        catch (InvalidOperationException exception)
            when (exception.Message.StartsWith("The stream was already sent", Ordinal))
        {
            // So is that.
        }

        Interlocked.Increment(ref _ended);
    }

    private sealed class Unseekable(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
