using CoAP.NET.Diagnostics;
using Server;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// An endpoint with connections: mutated frames as they come, cut anywhere, from a peer that asks; or, as a client, from a peer that is
/// asked. A second connection does no harm and is answered.
/// </summary>
internal sealed class StreamPipelineTarget(bool isClient) : PipelineTarget(default)
{
    private static readonly byte[] s_csm = [0x50, 0xe1, 0x23, 0x10, 0x00, 0x00, 0x20];

    // Longer than the time for a response and for a CSM, and than it takes to abandon a connection.
    private static readonly TimeSpan s_bound = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan s_step = TimeSpan.FromSeconds(5);

    private readonly ReferenceMessage _reference = new();
    private readonly byte[] _body = [.. Enumerable.Range(0, 3000).Select(i => (byte)i)];
    private CoapServer _server = null!;
    private FuzzConnection _friend = null!;
    private CoapPeer? _peer;
    private int _timers;
    private ushort _port;
    private byte _probe;
    private bool _isReleased;

    public override int Share => 10;

    protected override void Begin()
    {
        _server = new CoapServer(MakeOptions());
        PlugtestResources.MapTo(_server, Clock);
        _server.MapGet("/probe", () => CoapResults.Text("alive"));
        _server.MapGet("/me", request =>
        {
            _peer = request.Peer;
            return CoapResults.Text("you");
        });
        _timers = Clock.TimerCount;
        _server.Endpoint.ExpectConnections();
        Task start = _server.StartAsync();
        Complete(start, TimeSpan.FromSeconds(1), "start");
        _port = 1000;
        _isReleased = false;
        _friend = Connect();
    }

    protected override ulong RunRecords(byte[] input)
    {
        FuzzConnection connection = Connect();
        ulong signature = 0;
        Task<ulong>? request = null;
        byte[] asked = [];
        if (isClient)
        {
            _peer = null;
            connection.Send([0x31, 0x01, 0x77, 0xb2, (byte)'m', (byte)'e']);
            PoolQuiet.Wait();
            Check(_peer is not null, "alive", "A new connection is not served.");
            request = AskAsync(_peer!, input.Length > 0 ? input[0] & 7 : 0);
            PoolQuiet.Wait();
            signature = Look(connection, ref asked);
        }

        foreach (Range range in RecordInput.Split(input))
        {
            ReadOnlySpan<byte> record = input.AsSpan()[range];
            if (record.Length < RecordInput.HeadSize)
            {
                break;
            }

            Pass(RecordInput.StepOf(record[1]));

            SendCut(connection, Patched(record[0], record[RecordInput.HeadSize..], asked), record[0] & 7);
            PoolQuiet.Wait();
            signature = FuzzRandom.Mix(signature, Look(connection, ref asked));
        }

        if (request is not null)
        {
            if ((input.Length > 0 && (input[0] & 0x10) != 0) || connection.Ended.IsCompleted)
            {
                connection.Close();
            }

            Complete(request, s_bound, "client-end");
            Check(request.IsCompletedSuccessfully, "client-error", $"A request ended by {request.Exception?.InnerException}");
            signature = FuzzRandom.Mix(signature, request.Result);
        }

        connection.Close();
        Complete(connection.Ended, s_bound, "connection-end");
        Check(!_server.Endpoint.Completion.IsCompleted, "fault", $"The endpoint ended: {_server.Endpoint.Completion.Exception}");
        Probe();
        return signature;
    }

    protected override void EndLife()
    {
        try
        {
            Pass(TimeSpan.FromMinutes(5));
            Probe();
            CoapDiagnosticSnapshot snapshot = _server.Endpoint.GetSnapshot();
            CoapShardSnapshot shard = snapshot.Shards[0];
            Check(snapshot is { ActiveRequests: 0, Connections: 1 } && shard is { Outstanding: 0, Queued: 0, Transfers: 0, Observers: 0 },
                "left", $"{snapshot.Connections} connections, {snapshot.ActiveRequests} requests, {shard} are left.");
            Check(snapshot.Observations == 0 && _server.Endpoint.Bodies.Requests.Used == 0, "left",
                $"{snapshot.Observations} observations and {_server.Endpoint.Bodies.Requests.Used} B of bodies are left.");
        }
        finally
        {
            Abandon();
        }
    }

    protected override void Abandon()
    {
        _friend.Close();
        Complete(_server.DisposeAsync().AsTask(), TimeSpan.FromMinutes(5), "stop");
        Clock.Advance(TimeSpan.FromMinutes(1));
        PoolQuiet.Wait();
        Check(Clock.TimerCount <= _timers, "timers", $"{Clock.TimerCount} timers run after the end; {_timers} did before the beginning.");
    }

    // The one that does no harm answers the Pings of a server that wonders whether it is there.
    protected override void AfterStep()
    {
        if (!_friend.Ended.IsCompleted)
        {
            Answer(_friend.Take());
        }
    }

    private void Pass(TimeSpan time)
    {
        TimeSpan end = Clock.Elapsed + time;
        while (Clock.Elapsed < end)
        {
            Clock.AdvanceTo(Clock.Elapsed + s_step < end ? Clock.Elapsed + s_step : end);
            PoolQuiet.Wait();
            AfterStep();
        }
    }

    private FuzzConnection Connect()
    {
        FuzzConnection connection = new(_server.Endpoint, ++_port);
        PoolQuiet.Wait();
        connection.Send(s_csm);
        PoolQuiet.Wait();
        connection.Take();
        return connection;
    }

    private static void SendCut(FuzzConnection connection, byte[] bytes, int cut)
    {
        for (int at = 0; at < bytes.Length;)
        {
            int count = cut == 0 ? bytes.Length : Math.Min(bytes.Length - at, Math.Max(cut, bytes.Length / 8));
            connection.Send(bytes.AsSpan(at, Math.Min(count, bytes.Length - at)));
            at += count;
        }
    }

    // What is sent is frames; the last request is the one that is answered.
    private ulong Look(FuzzConnection connection, ref byte[] asked)
    {
        ulong signature = connection.Ended.IsCompleted ? 1u : 0u;
        foreach (byte[] frame in connection.Take())
        {
            _reference.ReadFrame(frame);
            Check(isClient || _reference.Code is 0 or >= 0x40, "sent",
                $"A server that asks nothing sent {Convert.ToHexStringLower(frame)}.");
            if (_reference.Code is > 0 and < 32)
            {
                asked = frame[_reference.TokenAt..(_reference.TokenAt + _reference.TokenLength)];
            }

            signature = FuzzRandom.Mix(signature, ((ulong)_reference.Code << 4) | Small(_reference.Options, 5));
        }

        return signature;
    }

    private byte[] Patched(byte flags, ReadOnlySpan<byte> template, byte[] token)
    {
        if (!isClient || (flags & 0x80) != 0 || template.Length < 2 || template[0] >> 4 > 12 || (template[0] & 15) > 8
            || template.Length < 2 + (template[0] & 15) || template[1] is < 0x40 or >= 0xe0)
        {
            return template.ToArray();
        }

        return [(byte)((template[0] & 0xf0) | token.Length), template[1], .. token, .. template[(2 + (template[0] & 15))..]];
    }

    private void Probe()
    {
        byte[] request = [0x62, 0x01, 0x70, ++_probe, 0xb5, .. "probe"u8];
        Answer(_friend.Take());
        if (_isReleased)
        {
            // Connections without use are released after a while (RFC 8323 section 5.5): then it opens another one.
            _friend.Close();
            Complete(_friend.Ended, s_bound, "connection-end");
            _isReleased = false;
            _friend = Connect();
        }

        _friend.Send(request);
        PoolQuiet.Wait();
        List<byte[]> frames = _friend.Take();
        Answer(frames);
        bool isAnswered = frames.Exists(frame => _reference.ReadFrame(frame) == true && _reference.Code == CoapCode.Content.Value
            && frame.AsSpan(_reference.TokenAt, _reference.TokenLength).SequenceEqual(request.AsSpan(2, 2))
            && frame.AsSpan(_reference.PayloadAt).SequenceEqual("alive"u8));
        Check(isAnswered, "alive",
            $"A well-formed request on another connection was answered by {(_friend.Ended.IsCompleted ? "the end of it " : "")}{string.Join(' ', frames.Select(Convert.ToHexStringLower))}");
    }

    private void Answer(List<byte[]> frames)
    {
        foreach (byte[] frame in frames)
        {
            Check(_reference.ReadFrame(frame) != true || _reference.Code != CoapCode.Abort.Value, "alive",
                $"The connection of somebody else was aborted: {frame}");
            _isReleased |= _reference.Code == CoapCode.Release.Value;
            if (_reference.Code == CoapCode.Ping.Value)
            {
                byte[] pong = [.. frame];
                pong[0] = (byte)_reference.TokenLength;
                pong[1] = CoapCode.Pong.Value;
                _friend.Send(pong.AsSpan(0, 2 + _reference.TokenLength));
            }
        }
    }

    private async Task<ulong> AskAsync(CoapPeer peer, int kind)
    {
        try
        {
            switch (kind)
            {
                case 6:
                    return (ulong)(await peer.PingAsync()).TotalSeconds;
                case 7:
                    CoapObservation observation = await peer.ObserveAsync(new CoapRequest(CoapMethod.Get, "/o"));
                    await Task.Delay(TimeSpan.FromSeconds(30), Clock);
                    ulong state = (ulong)observation.State + (observation.Latest?.Code.Value ?? 0u);
                    await observation.DisposeAsync();
                    return state;
                default:
                    CoapRequest request = kind switch
                    {
                        1 => new(CoapMethod.Put, "/p") { Content = CoapContent.Binary(_body) },
                        2 => new(CoapMethod.Fetch, "/f") { Content = CoapContent.Binary(_body.AsMemory(0, 30)) },
                        3 => new(CoapMethod.Get, "/t") { Timeout = TimeSpan.FromSeconds(2) },
                        _ => new(CoapMethod.Get, "/a"),
                    };
                    CoapResponse response = await peer.SendAsync(request);
                    return 100 + ((ulong)response.Code.Value << 8) + Small(response.Payload.Length, 40);
            }
        }
        catch (CoapException exception)
        {
            return (ulong)exception.GetType().Name.Length;
        }
    }
}
