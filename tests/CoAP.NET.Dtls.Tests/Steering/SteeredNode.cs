using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>One of several servers that share their sessions: one of <see cref="SteeredNodes"/>.</summary>
internal sealed class SteeredNode : IDtlsSessionOutput, ICoapDtlsSteering, IDisposable
{
    private readonly SteeredNodes _nodes;

    public SteeredNode(SteeredNodes nodes, int number, SharedHandshakeContext context)
    {
        _nodes = nodes;
        Number = number;
        Server = new DtlsServer(context, new DtlsServerLimits(), new ServerBench.OneKey(), null, this, nodes.Clock,
            new VirtualRandom((ulong)number), (_, work) => work())
        {
            BackupOptions = Backup.Options(),
            SteeringFailed = Failures.Add,
            SteeredBy = this,
        };
        Assert.True(Server.SessionBackup!.StartAsync(default).AsTask().IsCompletedSuccessfully);
        Server.Steering!.Start();
        Server.Steering.Open();
    }

    /// <summary>By which the others call it: from 1.</summary>
    public int Number { get; }

    public MemorySessionBackup Backup { get; } = new();

    public DtlsServer Server { get; }

    public CoapDtlsSteeringContext Port { get; private set; } = null!;

    public List<DtlsSession> Opened { get; } = [];

    public List<byte[]> Received { get; } = [];

    public List<(DtlsSession Session, DtlsSessionEndReason Reason)> Closed { get; } = [];

    public List<(byte? Slot, byte[] Datagram)> Relayed { get; } = [];

    /// <summary>What it keeps for whoever has a session next.</summary>
    public List<(int Via, byte Slot, CoapAddress Remote, byte[] Datagram)> Held { get; } = [];

    /// <summary>Whether it keeps such requests.</summary>
    public bool Holds { get; set; } = true;

    /// <summary>What a session that is handed over waits for.</summary>
    public Task InProgress { get; set; } = Task.CompletedTask;

    public List<Exception> Failures { get; } = [];

    /// <summary>A defect of the steering: thrown by all its members.</summary>
    public Exception? Throws { get; set; }

    /// <summary>Sends by its sockets.</summary>
    public void Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        if (path.Via == 0 || !Server.Steering!.TrySend(path, datagram))
        {
            _nodes.Send(Number, path, datagram);
        }
    }

    /// <summary>Takes the sessions of a slot that another one has released.</summary>
    public void Load(SteeredNode from, byte slot)
    {
        foreach ((ulong id, ReadOnlyMemory<byte> state) in from.Backup.States.Where(one => (byte)(one.Key >> 56) == slot).ToArray())
        {
            from.Backup.States.Remove(id);
            Assert.Equal(CoapDtlsSessionLoad.Loaded, Backup.Loader.TryLoad(state.Span));
        }
    }

    public void Dispose() => Server.Dispose();

    void ICoapDtlsSteering.Start(CoapDtlsSteeringContext port) => Port = port;

    byte? ICoapDtlsSteering.SlotOfNewSession() =>
        Throws is { } thrown ? throw thrown : _nodes.Owners.IndexOf(Number) is var slot and >= 0 ? (byte)slot : null;

    bool ICoapDtlsSteering.TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (Throws is { } thrown)
        {
            throw thrown;
        }

        int owner = slot is { } known ? _nodes.Owners[known] : _nodes.Owners.Contains(Number) ? Number : _nodes.Owners[0];
        if (owner == Number || owner == 0)
        {
            return false;
        }

        byte[] copy = datagram.ToArray();
        Relayed.Add((slot, [.. copy]));
        _nodes[owner].Port.Receive(Number, remote, copy);
        return true;
    }

    bool ICoapDtlsSteering.TryEnqueue(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (Throws is { } thrown)
        {
            throw thrown;
        }

        if (Holds)
        {
            Held.Add((via, slot, remote, datagram.ToArray()));
        }

        return Holds;
    }

    bool ICoapDtlsSteering.TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram) =>
        Throws is { } thrown ? throw thrown : !_nodes.Down.Contains(via) && _nodes[via].Port.Send(remote, datagram);

    int ICoapDtlsSteering.NameVia(int via, Span<byte> name)
    {
        name[0] = (byte)(via == 0 ? Number : via);
        return Throws is { } thrown ? throw thrown : 1;
    }

    int ICoapDtlsSteering.ViaOf(ReadOnlySpan<byte> name) =>
        Throws is { } thrown ? throw thrown : name[0] == Number || _nodes.Down.Contains(name[0]) ? 0 : name[0];

    void IDtlsSessionOutput.Opened(DtlsSession session) => Opened.Add(session);

    void IDtlsSessionOutput.Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
    {
        Received.Add(content.ToArray());
        session.Send([.. "re:"u8, .. content]);
    }

    Task IDtlsSessionOutput.FinishAsync(DtlsSession session, CancellationToken cancellationToken) => InProgress;

    void IDtlsSessionOutput.Moved(DtlsSession session, in DtlsPath from)
    {
    }

    void IDtlsSessionOutput.Closed(DtlsSession session, DtlsSessionEndReason reason) => Closed.Add((session, reason));
}
