using CoAP.NET.Diagnostics;
using Server;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>A server with all resources of the sample; eight sources send it whatever they like.</summary>
internal sealed class ServerTarget() : PipelineTarget(new WireShape(IsDatagram: true))
{
    private const int Sources = 8;
    private const int MaxTokens = 1000;

    private static readonly CoapAddress s_address = CoapAddress.FromIPv4(0xc0000201, 5683);
    private static readonly CoapAddress s_friend = CoapAddress.FromIPv4(0xc0000202, 40_000);

    private readonly ScriptedPeer[] _sources = new ScriptedPeer[Sources];
    private readonly HashSet<int>[] _ids = [.. Enumerable.Range(0, Sources).Select(_ => new HashSet<int>())];
    private readonly HashSet<ulong>[] _tokens = [.. Enumerable.Range(0, Sources).Select(_ => new HashSet<ulong>())];
    private readonly ReferenceMessage _reference = new();
    private InMemoryNetwork _network = null!;
    private CoapServer _server = null!;
    private ScriptedPeer _friend = null!;
    private int _timers;
    private bool _observesQuietly;
    private ushort _probe;
    private long _returned;
    private Action<byte[]>? _watch;

    protected override void Begin()
    {
        _network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { MaxTraceLength = 0 });
        CoapEndpointOptions options = MakeOptions();
        PlantedBlocks.Insert(options.Pipeline, Plant);
        _server = new CoapServer(options);
        PlugtestResources.MapTo(_server, Clock);
        _server.MapGet("/probe", () => CoapResults.Text("alive"));
        if (IsPlanted("handler"))
        {
            _server.MapGet("/hello-planted", _ => throw new InvalidOperationException("planted"));
        }

        _timers = Clock.TimerCount;
        _server.Endpoint.AddTransport(_network.CreateTransport(s_address));
        Task start = _server.StartAsync();
        Check(start.IsCompletedSuccessfully, "start", "It does not start at once.");
        _friend = _network.CreatePeer(s_friend, s_address);
        for (int i = 0; i < Sources; i++)
        {
            _sources[i] = _network.CreatePeer(Address((uint)(i / 2), (ushort)(50_000 + i)), s_address);
            _ids[i].Clear();
            _tokens[i].Clear();
        }

        _probe = 0;
        _observesQuietly = false;
        _returned = 0;
        _watch = _ => _returned++;
        CoapDatagramPool.Returned = _watch;
    }

    protected override ulong RunRecords(byte[] input)
    {
        ulong signature = 0;
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
            }

            int source = record[0] % Sources;
            _observesQuietly |= record.IndexOf("non"u8) >= 0;
            ReadOnlySpan<byte> datagram = record[RecordInput.HeadSize..];
            Note(source, datagram);
            _sources[source].Send(datagram);
            signature = FuzzRandom.Mix(signature, TakeAnswers(source));
        }

        Clock.Advance(TimeSpan.FromMilliseconds(1));
        for (int i = 0; i < Sources; i++)
        {
            TakeAnswers(i);
        }

        Check(!_server.Endpoint.Completion.IsCompleted, "fault", $"The endpoint ended: {_server.Endpoint.Completion.Exception}");
        Probe();
        return signature;
    }

    protected override void EndLife()
    {
        try
        {
            Quiet();
            Probe();
        }
        finally
        {
            Abandon();
        }
    }

    // Everybody has fallen silent: no lifetime of a message or a transfer lasts longer than this.
    private void Quiet()
    {
        for (int i = 0; i < 30; i++)
        {
            Clock.Advance(TimeSpan.FromSeconds(60));
            Array.ForEach(_sources, source => source.Clear());
        }

        PoolQuiet.Wait();
        Check(Log.First is null, "log", $"An error was logged: {Log.First}");

        // Whoever observes something that has not changed since is an observer still, and told so only when it changes.
        ChangeAll();
        for (int i = 0; i < 5; i++)
        {
            Clock.Advance(TimeSpan.FromSeconds(60));
            Array.ForEach(_sources, source => source.Clear());
        }

        CoapDiagnosticSnapshot snapshot = _server.Endpoint.GetSnapshot();
        Check(snapshot.ActiveRequests == 0, "left", $"{snapshot.ActiveRequests} requests are still served.");
        CoapShardSnapshot shard = snapshot.Shards[0];
        Check(shard is { Outstanding: 0, Queued: 0, Transfers: 0 }, "left", $"{shard} is left when all have been silent for half an hour.");

        // Non-confirmable notifications find out only once a day that nobody is there (RFC 7641 section 4.5).
        Check(shard.Observers <= (_observesQuietly ? Sources * MaxTokens : 0), "left",
            $"{shard.Observers} observers are left after notifications that nobody acknowledged.");
        Check(shard.Peers <= Sources + 1, "left", $"{shard.Peers} peers are known; there are {Sources + 1}.");
        Check(_server.Endpoint.Bodies.Requests.Used == 0, "left", $"{_server.Endpoint.Bodies.Requests.Used} B of bodies are held.");

        // Without a payload nothing of a datagram can be seen by handlers, so that each comes back.
        long before = _returned;
        long moved = _server.Endpoint.Counters[CoapCounter.DatagramsReceived] + _server.Endpoint.Counters[CoapCounter.DatagramsSent];
        Probe();
        Probe();
        moved = _server.Endpoint.Counters[CoapCounter.DatagramsReceived] + _server.Endpoint.Counters[CoapCounter.DatagramsSent] - moved;
        Check(_returned - before == moved, "buffers", $"{moved} datagrams came and went, {_returned - before} buffers came back.");
    }

    protected override void Abandon()
    {
        Task end = _server.DisposeAsync().AsTask();
        Complete(end, TimeSpan.FromMinutes(2), "stop");
        CoapDatagramPool.Returned = null;
        _friend.Dispose();
        Array.ForEach(_sources, source => source.Dispose());
        Clock.Advance(TimeSpan.FromSeconds(10));
        Check(_network.InFlightCount == 0 && Clock.TimerCount <= _timers, "timers",
            $"{Clock.TimerCount} timers run after the end; {_timers} did before the beginning.");
    }

    private void ChangeAll()
    {
        foreach (string path in (ReadOnlySpan<string>)["obs-load", "obs-load-non", "document"])
        {
            _probe++;
            byte code = path == "document" ? (byte)0x07 : (byte)0x03;
            byte[] format = path == "document" ? [0x11, 52] : [0x10];
            byte[] body = path == "document" ? [.. "{\"n\":"u8, (byte)('0' + (_probe % 10)), (byte)'}'] : [(byte)_probe];
            _friend.Send([0x41, code, (byte)(_probe >> 8), (byte)_probe, 0x71, (byte)(0xb0 | Math.Min(path.Length, 13)),
                .. path.Length >= 13 ? new byte[] { (byte)(path.Length - 13) } : [], .. Encoding.ASCII.GetBytes(path),
                .. format, 0xff, .. body]);
        }

        _friend.Clear();
    }

    private void Note(int source, ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length >= 4)
        {
            _ids[source].Add((datagram[2] << 8) | datagram[3]);
            if (_reference.ReadDatagram(datagram) || _reference.TokenLength <= datagram.Length)
            {
                _tokens[source].Add(
                    HashOf(datagram.Slice(Math.Min(_reference.TokenAt, datagram.Length))[
                        ..Math.Min(_reference.TokenLength, Math.Max(0, datagram.Length - _reference.TokenAt))]));
            }
        }
    }

    // What is sent to anybody is a message, and has a token and, in acknowledgements, a Message ID that this one sent.
    private ulong TakeAnswers(int source)
    {
        ulong signature = 0;
        while (_sources[source].Receive() is { } received)
        {
            ReadOnlySpan<byte> answer = received.Data.Span;
            Check(_reference.ReadDatagram(answer), "answer", $"The server sent {received.Hex}, which is no message.");
            bool isReply = _reference.Type >= 2;
            Check(!isReply || _ids[source].Contains(_reference.MessageId), "answer",
                $"The server answers a Message ID that nobody sent: {received.Hex}");
            Check(_reference.Code == 0 || _tokens[source].Contains(HashOf(answer.Slice(_reference.TokenAt, _reference.TokenLength))),
                "answer", $"The server answers a token that this peer never sent: {received.Hex}");
            Check(_reference.Code is 0 or >= 0x40, "answer", $"The server sent a request: {received.Hex}");
            signature = FuzzRandom.Mix(signature,
                ((ulong)_reference.Code << 8) | ((ulong)_reference.Type << 4) | Small(_reference.Options, 5));
        }

        return signature;
    }

    private void Probe()
    {
        _probe++;
        byte[] request = [0x42, 0x01, (byte)(_probe >> 8), (byte)_probe, 0x70, (byte)_probe, 0xb5, .. "probe"u8];
        _friend.Clear();
        _friend.Send(request);
        ReceivedDatagram? answer = _friend.Receive();
        Check(
            answer is not null && _reference.ReadDatagram(answer.Data.Span) && _reference.Type == 2
                && _reference.Code == CoapCode.Content.Value && _reference.MessageId == _probe
                && answer.Data.Span.Slice(_reference.TokenAt, _reference.TokenLength).SequenceEqual(request.AsSpan(4, 2))
                && answer.Data.Span[_reference.PayloadAt..].SequenceEqual("alive"u8),
            "alive",
            $"A well-formed request of somebody else was answered by {answer?.Hex ?? "nothing"}.");
        Check(_friend.Receive() is null, "alive", "It was answered twice.");
    }

    private static ulong HashOf(ReadOnlySpan<byte> bytes)
    {
        ulong hash = (ulong)bytes.Length;
        foreach (byte one in bytes)
        {
            hash = FuzzRandom.Mix(hash, one);
        }

        return hash;
    }
}
