using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// A client whose requests of all kinds are answered by mutated messages: with its Message ID and token or with others, in time, late,
/// twice, never. Each request ends within its bound with an answer or a <see cref="CoapException"/>.
/// </summary>
internal sealed class ClientTarget() : PipelineTarget(new WireShape(IsDatagram: true))
{
    private const string Target = "coap://198.51.100.9";

    // Bits of a record's first byte.
    private const int KeepsMessageId = 0x80;
    private const int KeepsToken = 0x40;
    private const int FromElsewhere = 0x20;

    // After the last record: a turn that PROBING_RATE delays (340 s at most), MAX_TRANSMIT_WAIT (93 s), and the time for a separate
    // response (293 s).
    private static readonly TimeSpan s_bound = TimeSpan.FromMinutes(15);
    private static readonly CoapAddress s_address = CoapAddress.FromIPv4(0xc0000201, 40_000);

    private readonly ReferenceMessage _reference = new();
    private readonly byte[] _body = [.. Enumerable.Range(0, 3000).Select(i => (byte)i)];
    private InMemoryNetwork _network = null!;
    private CoapClient _client = null!;
    private ScriptedPeer _server = null!;
    private ScriptedPeer _stranger = null!;
    private byte[] _asked = [];

    public override int Share => 10;

    protected override void Begin()
    {
        _network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { MaxTraceLength = 0 });
        CoapEndpointOptions options = MakeOptions();
        _client = new CoapClient(options);
        _client.Endpoint.AddTransport(_network.CreateTransport(s_address));
        Check(_client.Endpoint.StartAsync().IsCompletedSuccessfully, "start", "It does not start at once.");
        _server = _network.CreatePeer(Address(9, 5683), s_address);
        _stranger = _network.CreatePeer(Address(10, 5683), s_address);
        _asked = [];
    }

    protected override ulong RunRecords(byte[] input)
    {
        if (input.Length == 0)
        {
            return 0;
        }

        int kind = input[0] & 15;
        using CancellationTokenSource patience = new();
        Task<ulong> request = AskAsync(kind, patience.Token);
        PoolQuiet.Wait();
        TakeRequests();
        foreach (Range range in RecordInput.Split(input))
        {
            ReadOnlySpan<byte> record = input.AsSpan()[range];
            if (record.Length < RecordInput.HeadSize)
            {
                break;
            }

            if (RecordInput.StepOf(record[1]) is { Ticks: > 0 } step)
            {
                Clock.Advance(step);
                PoolQuiet.Wait();
                TakeRequests();
            }

            ((record[0] & FromElsewhere) != 0 ? _stranger : _server).Send(Patched(record[0], record[RecordInput.HeadSize..]));
            PoolQuiet.Wait();
            TakeRequests();
        }

        if (kind == 15)
        {
            patience.Cancel();
        }

        if (!IsPlanted("client-hang") || request.IsCompleted)
        {
            Complete(request, s_bound, "client-end");
        }
        else
        {
            Complete(new TaskCompletionSource().Task, s_bound, "client-end");
        }

        TakeRequests();
        Check(request.IsCompletedSuccessfully, "client-error", $"A request ended by {request.Exception?.InnerException}");
        Check(!_client.Endpoint.Completion.IsCompleted, "fault", $"The endpoint ended: {_client.Endpoint.Completion.Exception}");
        return FuzzRandom.Mix((ulong)kind, request.Result);
    }

    protected override void EndLife()
    {
        try
        {
            for (int i = 0; i < 30; i++)
            {
                Clock.Advance(TimeSpan.FromSeconds(60));
                PoolQuiet.Wait();
            }

            CoapDiagnosticSnapshot snapshot = _client.Endpoint.GetSnapshot();
            CoapShardSnapshot shard = snapshot.Shards[0];
            Check(shard is { Outstanding: 0, Queued: 0, Transfers: 0 } && snapshot.Observations == 0 && snapshot.ActiveRequests == 0,
                "left", $"{shard} and {snapshot.Observations} observations are left.");
            Check(snapshot.Peers.All(peer => peer is { AwaitedResponses: 0, Pending.Count: 0 }), "left", "A request still waits.");

            // And it still asks and hears, once the server is heard of again: until then PROBING_RATE holds requests back (RFC 7252 section
            // 4.7).
            _server.Send([0x40, 0x00, 0x12, 0x34]);
            _server.Clear();
            Task<CoapResponse> request = _client.GetAsync($"{Target}/probe");
            PoolQuiet.Wait();
            Clock.Advance(TimeSpan.FromMilliseconds(1));
            ReceivedDatagram? asked = _server.Receive();
            Check(asked is not null && _reference.ReadDatagram(asked.Data.Span), "alive", "A request does not leave.");
            _server.Send([(byte)(0x60 | _reference.TokenLength), 0x45, .. asked!.Data.Span[2..(4 + _reference.TokenLength)], 0xff,
                (byte)'1']);
            Complete(request, TimeSpan.FromSeconds(1), "alive");
            Check(request.Result.GetText() == "1", "alive", $"{request.Result}");
        }
        finally
        {
            Abandon();
        }
    }

    protected override void Abandon()
    {
        Complete(_client.DisposeAsync().AsTask(), TimeSpan.FromMinutes(5), "stop");
        _server.Dispose();
        _stranger.Dispose();
        Clock.Advance(TimeSpan.FromMinutes(10));
        Check(Clock.TimerCount <= 0, "timers", $"{Clock.TimerCount} timers run after the end.");
    }

    private async Task<ulong> AskAsync(int kind, CancellationToken cancellationToken)
    {
        try
        {
            switch (kind)
            {
                case 6 or 7:
                    CoapObservation observation = await _client.ObserveAsync(new CoapRequest(CoapMethod.Get, $"{Target}/o")
                    {
                        Confirmable = kind == 6
                    }, cancellationToken: cancellationToken);
                    await Task.Delay(TimeSpan.FromSeconds(30), Clock, cancellationToken);
                    ulong state = (ulong)observation.State + (observation.Latest?.Code.Value ?? 0u);
                    await observation.DisposeAsync();
                    return state;
                case 8:
                    return (ulong)(await _client.PingAsync(Target, cancellationToken: cancellationToken)).TotalSeconds;
                case 9:
                    Task<CoapResponse> one = _client.SendAsync(Make(0), cancellationToken);
                    Task<CoapResponse> other = _client.SendAsync(Make(3), cancellationToken);
                    ulong both = Outcome(await one);
                    return FuzzRandom.Mix(both, Outcome(await other));
                default:
                    return Outcome(await _client.SendAsync(Make(kind), cancellationToken));
            }
        }
        catch (CoapException exception)
        {
            return FuzzRandom.Mix((ulong)exception.GetType().Name.Length, (ulong)((exception as CoapTimeoutException)?.Reason ?? 0) + 1);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return 3;
        }
    }

    private CoapRequest Make(int kind) => kind switch
    {
        1 => new(CoapMethod.Get, $"{Target}/a/b?c") { Confirmable = false },
        2 => new(CoapMethod.Put, $"{Target}/p") { Content = CoapContent.Binary(_body.AsMemory(0, 100)) },
        3 => new(CoapMethod.Put, $"{Target}/p") { Content = CoapContent.Binary(_body) },
        4 => new(CoapMethod.Post, $"{Target}/p") { Content = CoapContent.Binary(_body) },
        5 => new(CoapMethod.Fetch, $"{Target}/f")
        {
            Content = CoapContent.Binary(_body.AsMemory(0, 2000)),
            Accept = CoapContentFormat.Json
        },
        10 => new(CoapMethod.Get, $"{Target}/a") { Timeout = TimeSpan.FromSeconds(2) },
        11 => new(CoapMethod.Put, $"{Target}/q") { Confirmable = false, Content = CoapContent.Binary(_body) },
        12 => new(CoapMethod.Delete, $"{Target}/d"),
        13 => new(CoapMethod.Get, $"{Target}/t") { Timeout = TimeSpan.FromMinutes(5), Confirmable = false },
        14 => new(CoapMethod.IPatch, $"{Target}/i") { Content = CoapContent.Binary(_body.AsMemory(0, 1100)) },
        _ => new(CoapMethod.Get, $"{Target}/a"),
    };

    private static ulong Outcome(CoapResponse response) => 100 + ((ulong)response.Code.Value << 8) + Small(response.Payload.Length, 40);

    private byte[] Patched(byte flags, ReadOnlySpan<byte> template)
    {
        if (template.Length < 4 || _asked.Length == 0)
        {
            return template.ToArray();
        }

        byte[] datagram = template.ToArray();
        int tokenLength = template[0] & 15;
        if ((flags & KeepsToken) == 0 && tokenLength <= 8 && 4 + tokenLength <= template.Length && template[1] != 0)
        {
            datagram = [(byte)((template[0] & 0xf0) | (_asked[0] & 15)), .. template[1..4], .. _asked.AsSpan(4, _asked[0] & 15),
                .. template[(4 + tokenLength)..]];
        }

        if ((flags & KeepsMessageId) == 0)
        {
            datagram[2] = _asked[2];
            datagram[3] = _asked[3];
        }

        return datagram;
    }

    // What the client says is always a message; the last request is the one that is answered.
    private void TakeRequests()
    {
        while (_server.Receive() is { } received)
        {
            Check(_reference.ReadDatagram(received.Data.Span), "sent", $"The client sent {received.Hex}, which is no message.");
            if (_reference.Code is > 0 and < 32)
            {
                _asked = received.Data.ToArray();
            }
        }

        while (_stranger.Receive() is { } received)
        {
            Check(_reference.ReadDatagram(received.Data.Span) && _reference.Code is 0 or >= 0x40, "sent",
                $"The client sent {received.Hex} to somebody it did not ask.");
        }
    }
}
