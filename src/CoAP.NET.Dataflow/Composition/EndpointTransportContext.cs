using System.Buffers.Binary;
using System.Net.Sockets;
using CoAP.NET.Channels;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Errors;
using CoAP.NET.Formats;
using CoAP.NET.Serialization;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Composition;

/// <summary>The interface of an endpoint for its transports.</summary>
internal sealed class EndpointTransportContext
    : ICoapDatagramTransportContext, IDatagramPrefetchContext, ICoapStreamTransportContext, ICoapSessionTransportContext,
        ICoapSessionHandoverContext
{
    private const int MaxExpected = 64;

    private readonly ConnectionTable _connections;
    private readonly CoapStreamSerializer _streams;
    private readonly CoapWebSocketSerializer _webSockets;
    private readonly EndpointState _state;
    private readonly ConnectionMemoryBudget _memory;
    private ulong _lastNumber;
    private readonly CoapEnvironment _environment;
    private readonly CoapShardPipeline[] _pipelines;
    private readonly ShardTimerDriver[] _clocks;
    private readonly CoapAddressHash _hash;
    private readonly PeerEvents _peers;

    public EndpointTransportContext(
        CoapEnvironment environment,
        CoapShardPipeline[] pipelines,
        ShardTimerDriver[] clocks,
        CoapAddressHash hash,
        ConnectionTable connections,
        PeerEvents peers,
        CoapStreamSerializer streams,
        CoapWebSocketSerializer webSockets,
        EndpointState state)
    {
        _connections = connections;
        _peers = peers;
        _streams = streams;
        _webSockets = webSockets;
        _state = state;
        _environment = environment;
        _pipelines = pipelines;
        _clocks = clocks;
        _hash = hash;
        _memory = new ConnectionMemoryBudget(environment.Limits, environment.Counters, environment.Sources);
    }

    public TimeProvider TimeProvider => _environment.TimeProvider;

    public CoapSourceGroupingRule Sources => _environment.Sources;

    public CoapRandomSource Random => _environment.Random;

    public CoapLimits Limits => _environment.Limits;

    public CoapCounters Counters => _environment.Counters;

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Logger => _environment.Logger;

    public int ShardCount => _pipelines.Length;

    public CoapThreadScheduler Scheduler => _environment.Scheduler;

    public RotatingKeyProvider? SharedKeysFor(string purpose, TimeSpan epoch) => _environment.Secret?.KeysFor(purpose, epoch);

    public void Receive(CoapDatagram datagram)
    {
        int shard = datagram.Channel is { } channel ? channel.Shard.Index : ShardOf(datagram.Remote);
        if (datagram.Channel is { IsVerified: false, IsConnection: true, IsForgotten: false } moved && moved.Remote == datagram.Remote)
        {
            moved.Shard.Guard.OnReceivedWhereMoved(moved, datagram.Length);
            if (SessionMove.Of(moved)?.Probe is null)
            {
                _peers.ResolveMovedAddress(moved);
            }
        }

        datagram.IsLate = _state.IsStopping;
        if (datagram.ReceivedAt == 0)
        {
            datagram.ReceivedAt = _environment.Now;
        }

        if (!_pipelines[shard].TransportIn.Run(datagram))
        {
            datagram.Dispose();
        }
    }

    // The table of a shard uses the lower bits of the hash, so the shard comes from the upper ones.
    public int ShardOf(CoapAddress remote) =>
        _pipelines.Length == 1 ? 0 : ShardOf(_hash.Of(remote));

    public void SendFailed(CoapDatagram datagram, Exception error)
    {
        EndpointLog.SendFailed(_environment.Logger, datagram.Length, datagram.Remote.ToString(), error.Message);
        if (error is not SocketException { SocketErrorCode: var code } || !RequestErrors.IsLasting(code)
            || IsSourceAway(datagram, code))
        {
            return;
        }

        CoapShardPipeline pipeline = _pipelines[datagram.Channel?.Shard.Index ?? ShardOf(datagram.Remote)];
        if (datagram.Channel is { } known)
        {
            pipeline.MessagingIn.SendFailed(known, datagram.Span, code);
            return;
        }

        foreach (CoapChannel channel in pipeline.Channels.Find(datagram.Remote))
        {
            pipeline.MessagingIn.SendFailed(channel, datagram.Span, code);
        }
    }

    // An address of ours that is gone may come back, as when a cable was out; a peer that it belongs to is not given up for that.
    private static bool IsSourceAway(CoapDatagram datagram, SocketError code) =>
        code == SocketError.InvalidArgument && !datagram.Local.IsAny && datagram.Transport is { } transport
            && !transport.IsOurs(datagram.Local.ToIPAddress());

    public bool IsStopping => _state.IsStopping;

    public void Fault(CoapException error) => _pipelines[0].Shard.Endpoint.Fault(error);

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted)
    {
        CoapShardPipeline pipeline = _pipelines[ShardOf(remote)];
        foreach (CoapChannel channel in pipeline.Channels.Find(remote))
        {
            pipeline.MessagingIn.Unreachable(channel, quoted);
        }
    }

    public TimeSpan Tick()
    {
        long next = long.MaxValue;
        foreach (ShardTimerDriver clock in _clocks)
        {
            next = Math.Min(next, clock.Tick());
        }

        return next == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(Math.Max(0, next - _environment.Now));
    }

    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
        Span<ulong> hashes = stackalloc ulong[MaxExpected];
        datagrams = datagrams[..Math.Min(datagrams.Length, MaxExpected)];
        for (int i = 0; i < datagrams.Length; i++)
        {
            hashes[i] = _hash.Of(datagrams[i].Remote);
            _pipelines[ShardOf(hashes[i])].Channels.Fetch(hashes[i]);
        }

        for (int i = 0; i < datagrams.Length; i++)
        {
            CoapChannel? guess = _pipelines[ShardOf(hashes[i])].Channels.Guess(hashes[i]);
            datagrams[i].Expected = guess;
            if (guess is not null)
            {
                MemoryPrefetch.FetchObject(guess, CoapChannel.OftenTouched);
            }
        }

        foreach (CoapDatagram datagram in datagrams)
        {
            if (datagram.Expected is not { } channel)
            {
                continue;
            }

            if (!ChannelTable.Is(channel, datagram))
            {
                // Another end of ours has the same peer, or a table that changed at this moment led astray: it is looked up when it is
                // handed in.
                datagram.Expected = null;
            }
            else if (datagram.Length >= 4)
            {
                _pipelines[channel.Shard.Index].Messages.Memory.Fetch(channel, BinaryPrimitives.ReadUInt16BigEndian(datagram.Span[2..]));
            }
        }
    }

    private int ShardOf(ulong hash) => _pipelines.Length == 1 ? 0 : (int)((hash >> 40) % (uint)_pipelines.Length);

    /// <summary>How much memory is taken for messages of which only a part is there, in bytes.</summary>
    public long AssemblyBytes => _memory.AssemblyBytes;

    /// <summary>How much waits to be sent on connections whose peers do not take it at once, in bytes.</summary>
    public long SendingBytes => _memory.SendingBytes;

    public Task PingAsync(CoapSession session, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(session);
        return session.Channel is { } channel
            ? _pipelines[channel.Shard.Index].Sender.PingAsync(channel, default, passesQueue: true, cancellationToken)
            : Task.FromException(new CoapConnectionException(CoapError.Lost, $"The session with {session.Remote} is not open."));
    }

    public bool IsBusy(CoapSession session) =>
        session.Channel is { } channel && SessionHandoverOperations.IsBusy(PipelineOf(channel), channel);

    public Task FinishAsync(CoapSession session, CancellationToken cancellationToken) =>
        session.Channel is { } channel
            ? SessionHandoverOperations.FinishAsync(PipelineOf(channel), channel, cancellationToken)
            : Task.CompletedTask;

    public ReadOnlyMemory<byte> ExportState(CoapSession session) =>
        session.Channel is { } channel ? SessionHandoverOperations.ExportState(PipelineOf(channel), channel) : default;

    public void Resume(CoapSession session, ReadOnlySpan<byte> retired)
    {
        if (session.Channel is { } channel)
        {
            SessionHandoverOperations.Resume(PipelineOf(channel), channel, retired);
        }
    }

    public bool Opened(CoapConnection connection)
    {
        connection.Number = Interlocked.Increment(ref _lastNumber);
        CoapShardPipeline pipeline = _pipelines[ShardOf(connection.Remote)];
        CoapChannel channel = new(pipeline.Shard, connection, CoapTransmissionParameters.Default)
        {
            AsksForParameters = true,
        };
        channel.AskForParameters();
        long now = _environment.Now;
        channel.Links.FirstSeen = now;
        channel.LastSeen = now - (connection is CoapSession session ? session.Idle.Ticks : 0);
        CoapChannel? idle = null;
        if (_state.IsStopping || !_connections.TryAdd(channel, now, out idle))
        {
            Counters.Add(CoapCounter.ConnectionsRefused);
            return false;
        }

        if (idle is not null)
        {
            _memory.CloseIdle(idle.Connection!);
        }

        Counters.Add(connection.IsInitiator ? CoapCounter.ConnectionsOpened : CoapCounter.ConnectionsAccepted);
        connection.Channel = channel;
        pipeline.Shard.Enter();
        try
        {
            if (channel.IsReliable)
            {
                pipeline.Signalling.Open(channel, now);
            }
            else
            {
                pipeline.Signalling.OpenSession(channel);
            }
        }
        finally
        {
            pipeline.Shard.ExitAndSend();
        }

        return true;
    }

    public long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available)
    {
        CoapMessageSerializer serializer = connection.Transport is CoapStreamTransport { HasMessages: true } ? _webSockets : _streams;
        if (serializer.TryReadHead(first, available, out MessageHead head, out CoapFormatError error))
        {
            return head.Length;
        }

        if (error.IsNone)
        {
            return 0;
        }

        Counters.Add(CoapCounter.FormatErrors);
        if (error.Rule == CoapMessageFormatViolation.MessageTooLarge)
        {
            Counters.Add(CoapCounter.FramesRefused);
        }

        CoapShard shard = connection.Channel!.Shard;
        shard.Enter();
        try
        {
            SignallingOf(connection).Refuse(connection.Channel, error, _environment.Now);

            // Where a logger may throw.
            shard.AfterRelease(new FormatErrorLog(connection.Channel, error));
        }
        finally
        {
            shard.ExitAndSend();
        }

        return -1;
    }

    public void Refuse(CoapConnection connection, string reason)
    {
        Counters.Add(CoapCounter.FormatErrors);
        CoapShard shard = connection.Channel!.Shard;
        shard.Enter();
        try
        {
            SignallingOf(connection).Refuse(connection.Channel, reason, _environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }
    }

    public bool TryReserveAssembly(CoapConnection connection, int bytes) => _memory.TryReserveAssembly(connection, bytes);

    public void ReleaseAssembly(CoapConnection connection, int bytes) => _memory.ReleaseAssembly(connection, bytes);

    public void BacklogChanged(CoapConnection connection) => _memory.OnBacklogChanged(connection);

    public void CongestionEnded(CoapConnection connection)
    {
        CoapShard shard = connection.Channel!.Shard;
        bool more = true;

        // The messages sent here may congest the connection again; the transport then calls again.
        while (more && !connection.IsCongested)
        {
            shard.Enter();
            try
            {
                more = SignallingOf(connection).SendWaiting(connection.Channel, _environment.Now);
            }
            finally
            {
                shard.ExitAndSend();
            }
        }
    }

    public void Closed(CoapConnection connection, Exception? error)
    {
        if (connection.Channel is not { } channel || !_connections.Remove(channel))
        {
            return;
        }

        if (channel.IsReliable)
        {
            _memory.Forget(connection);
        }

        if (error is not null and not CoapConnectionException { Error: not CoapError.Lost })
        {
            Counters.Add(CoapCounter.ConnectionsLost);
        }

        // Last, so that code that sees it counted as closed also sees the reason.
        Counters.Add(CoapCounter.ConnectionsClosed);

        CoapConnectionException reason = error as CoapConnectionException ?? (error is null
            ? new CoapConnectionException(CoapError.Closed, $"{channel} closed the connection.")
            : new CoapConnectionException(CoapError.Lost, $"The connection to {channel} broke: {error.Message}", error));
        channel.Shard.Enter();
        try
        {
            channel.IsForgotten = true;
            SignallingOf(connection).Close(channel, reason);
            if (!channel.IsReliable)
            {
                // After the requests were told: of their messages nothing more is said.
                CoapShardPipeline pipeline = _pipelines[channel.Shard.Index];
                pipeline.Messages.Forget(channel);
                channel.Shard.Guard.OnForgotten(channel);
            }

            channel.Shard.AfterRelease(new EndLog(channel, reason.Error));
        }
        finally
        {
            channel.Shard.ExitAndSend();
        }
    }

    public void Moved(CoapSession session, CoapAddress from)
    {
        if (session.Channel is not { IsForgotten: false } channel)
        {
            return;
        }

        Counters.Add(CoapCounter.PeersMoved);
        channel.Shard.Guard.OnMoved(channel, _environment.Now);
        _peers.OnMoved(channel, from);
    }

    public void ReceiveEnded(CoapConnection connection)
    {
        CoapShard shard = connection.Channel!.Shard;
        shard.Enter();
        try
        {
            SignallingOf(connection).OnReceiveEnded(connection.Channel, _environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }
    }

    private CoapShardPipeline PipelineOf(CoapChannel channel) => _pipelines[channel.Shard.Index];

    private SignallingLayer SignallingOf(CoapConnection connection) => _pipelines[connection.Channel!.Shard.Index].Signalling;

    private sealed class FormatErrorLog(CoapChannel channel, CoapFormatError error) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => SerializerLog.FormatError(shard.Environment.Logger, channel, error.Rule, error.Offset);
    }

    private sealed class EndLog(CoapChannel channel, CoapError error) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => SignallingLog.ConnectionEnded(shard.Environment.Logger, channel, error);
    }
}
