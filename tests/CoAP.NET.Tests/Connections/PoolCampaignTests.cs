using CoAP.NET.Diagnostics;
using CoAP.NET.Signalling;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

/// <summary>
/// Connects, breaks, releases, requests and observations in an order drawn by lot: every request ends, and only once, and nothing is left
/// in the end. COAP_TEST_CONNECTION_SEED and COAP_TEST_CONNECTION_RUNS say where to begin and how long to go on.
/// </summary>
public class PoolCampaignTests : ClientConnectionTest
{
    private const int Steps = 600;

    // So many steps happen side by side with what they began, then all of that is waited for.
    private const int StepsAtOnce = 20;

    private readonly List<(DirectConnection Connection, string Answer)> _owed = [];
    private readonly List<DirectConnection> _accepted = [];
    private readonly List<Task> _requests = [];
    private readonly List<CancellationTokenSource> _patience = [];
    private readonly List<CoapObservation> _observations = [];
    private readonly Lock _gate = new();
    private int _ended;

    public static TheoryData<int> Seeds()
    {
        TheoryData<int> seeds = [];
        int first = CampaignSetting.Of("COAP_TEST_CONNECTION_SEED", 1);
        for (int i = 0; i < CampaignSetting.Of("COAP_TEST_CONNECTION_RUNS", 6); i++)
        {
            seeds.Add(first + i);
        }

        return seeds;
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Every_request_ends_once_and_leaves_nothing_behind_under_random_connection_events(int seed)
    {
        Dice random = new(seed);
        Options.Pipeline.Random = new VirtualRandom((ulong)seed);
        Options.Transports.Streams.MaxReconnectDelay = FromSeconds(5);
        Failing = remote => Chance(random, 25) ? Refused(remote) : null;
        Answers = (connection, frame) => Answer(random, connection, frame);
        Server.MapGet("/x", static () => CoapResults.Text("1"));
        List<CoapChannel> channels = [];
        int connected = 0;
        int disconnected = 0;
        Endpoint.PeerConnected += (_, _) => Interlocked.Increment(ref connected);
        Endpoint.PeerDisconnected += (_, _) => Interlocked.Increment(ref disconnected);
        await StartClientAsync();
        Action<DirectConnection> scripted = Streams.Connected!;
        Streams.Connected = connection =>
        {
            scripted(connection);
            ServerCsm = Chance(random, 10) ? null : LargeCsm;
        };

        for (int i = 0; i < Steps; i++)
        {
            Step(random);
            if (i % StepsAtOnce == 0)
            {
                await SettleAsync();
            }

            channels.AddRange(Endpoint.Connections.All().Except(channels));
        }

        // Now everything works, and whoever is silent stays so until its time is over.
        Failing = null;
        ServerCsm = LargeCsm;
        foreach (CoapObservation observation in Snapshot(_observations))
        {
            await observation.DisposeAsync();
        }

        for (int i = 0; i < 100_000 && !(Task.WhenAll(Snapshot(_requests)).IsCompleted && Endpoint.Observed.Count == 0); i++)
        {
            Clock.Advance(FromSeconds(1));
            await SettleAsync();
            channels.AddRange(Endpoint.Connections.All().Except(channels));
            foreach (CoapObservation observation in Snapshot(_observations))
            {
                await observation.DisposeAsync();
            }
        }

        await Within(Task.WhenAll(Snapshot(_requests)));
        Assert.Equal(_requests.Count, _ended);
        Assert.Equal(0, Endpoint.Observed.Count);

        // One that was given up may just be coming.
        await UntilAsync(() =>
        {
            foreach (DirectConnection connection in Streams.OpenedByUs.Concat(_accepted).Where(IsOpen))
            {
                connection.Break();
            }

            return Endpoint.Connections.Count == 0;
        });
        Assert.Empty(Endpoint.ConnectedPeers);

        // The thread that sent a request, or observes, may still hold the channel for a moment after the end has come back to whoever
        // asked.
        await Eventually.IsTrueOrHangsAsync(() => channels.All(static channel => channel is { IsForgotten: true, Pins: 0 }));
        await SettleAsync();
        Assert.Equal(connected, disconnected);
        Assert.All(channels, channel => Assert.Equal(0, channel.Pins), throwIfEmpty: true);
        Assert.All(channels, channel => Assert.True(channel.IsForgotten));
        Assert.Equal(0, Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, Counters[CoapCounter.HandlerErrors]);
        Assert.DoesNotContain(Logs.Entries, entry => entry.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
    }

    private void Step(Dice random)
    {
        DirectConnection[] open = [.. Streams.OpenedByUs.Where(IsOpen)];
        DirectConnection[] accepted = [.. _accepted.Where(IsOpen)];
        switch (random.Next(14))
        {
            case 0 or 1 or 2 or 3:
                Ask(random);
                break;
            case 4 when _accepted.Count < 200:
                DirectConnection peer = Streams.Accept();
                lock (_gate)
                {
                    _accepted.Add(peer);
                }

                if (!Chance(random, 10))
                {
                    peer.Receive(LargeCsm);
                }

                break;
            case 5 when accepted.Length > 0:
                Pick(random, accepted).Receive("2101aab178");
                break;
            case 6 when accepted.Length > 0 && Endpoint.ConnectedPeers is { Count: > 0 } peers:
                CoapPeer device = peers[random.Next(peers.Count)];
                Track(device.SendAsync(new CoapRequest(CoapMethod.Post, "/x") { Timeout = FromSeconds(10) }));
                break;
            case 7 when open.Length > 0:
                Pick(random, open).Break(Chance(random, 50) ? new IOException("reset") : null);
                break;
            case 8 when open.Length > 0:
                Pick(random, open)
                    .Receive(Release(Chance(random, 30) ? (uint)random.Next(1, 20) : null, Chance(random, 30) ? ["192.0.2.7:77"] : []));
                break;
            case 9 when open.Length > 0:
                Pick(random, open).Receive("40e5ff6e6f21");
                break;
            case 10 when accepted.Length > 0:
                Pick(random, accepted).Break();
                break;
            case 11 when _patience.Count > 0:
                _patience[random.Next(_patience.Count)].Cancel();
                break;
            case 12:
                Observe(random);
                break;
            default:
                Clock.Advance(FromMilliseconds(random.Next(1, 2000)));
                PayOne(random);
                break;
        }
    }

    private void Ask(Dice random)
    {
        CancellationTokenSource patience = new();
        _patience.Add(patience);
        CoapRequest request = new((CoapMethod)(1 + random.Next(7)), random.Next(3) switch
        {
            0 => Target,
            1 => "coap+tcp://two.example/x",
            _ => "coap+tcp://192.0.2.3/x",
        })
        {
            Timeout = Chance(random, 50) ? FromSeconds(random.Next(1, 30)) : null,
            Content = Chance(random, 20) ? CoapContent.Binary(new byte[3000]) : CoapContent.Text("1"),
        };
        Track(Endpoint.SendAsync(request, patience.Token));
    }

    private void Observe(Dice random)
    {
        if (Chance(random, 50) && Snapshot(_observations) is { Count: > 0 } all)
        {
            Track(all[random.Next(all.Count)].DisposeAsync().AsTask());
            return;
        }

        Track(KeepAsync(Endpoint.ObserveAsync($"coap+tcp://192.0.2.{1 + random.Next(2)}/{random.Next(4)}")));
    }

    private async Task KeepAsync(Task<CoapObservation> begun)
    {
        CoapObservation observation = await begun;
        lock (_gate)
        {
            _observations.Add(observation);
        }
    }

    private void Track(Task request)
    {
        lock (_gate)
        {
            _requests.Add(AwaitAsync(request));
        }
    }

    private async Task AwaitAsync(Task request)
    {
        try
        {
            await request;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // All of these are ends.
        }

        Interlocked.Increment(ref _ended);
    }

    // Called on whatever thread sends.
    private string? Answer(Dice random, DirectConnection connection, Frame frame)
    {
        if (frame.Code is 0 or >= 32)
        {
            return null;
        }

        string answer = frame.Rest.StartsWith("60", Ordinal)
            ? $"3{frame.Token.Length / 2:x}45{frame.Token}60ff31"
            : Content(frame);
        switch (random.Next(8))
        {
            case 0:
                connection.Break(new IOException("reset"));
                return null;
            case 1:
                return null;
            case 2 or 3:
                lock (_gate)
                {
                    _owed.Add((connection, answer));
                }

                return null;
            default:
                return answer;
        }
    }

    private void PayOne(Dice random)
    {
        (DirectConnection Connection, string Answer) owed;
        lock (_gate)
        {
            if (_owed.Count == 0)
            {
                return;
            }

            int at = random.Next(_owed.Count);
            owed = _owed[at];
            _owed.RemoveAt(at);
        }

        if (!owed.Connection.IsClosed)
        {
            owed.Connection.Receive(owed.Answer);
        }
    }

    private List<T> Snapshot<T>(List<T> list)
    {
        lock (_gate)
        {
            return [.. list];
        }
    }

    // Not one that is just being opened: nothing comes of it before the endpoint has it.
    private static bool IsOpen(DirectConnection connection) => !connection.IsClosed && connection.Channel is { } channel
        && ConnectionSignallingState.Of(channel) is not null;

    private static DirectConnection Pick(Dice random, DirectConnection[] from) => from[random.Next(from.Length)];

    private static bool Chance(Dice random, int percent) => random.Next(100) < percent;
}
