using CoAP.NET.Exchanges;
using CoAP.NET.Serialization;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Composition;

// The calls of connection transports (RFC 8323).
internal sealed partial class EndpointContext
{
    private readonly ConnectionTable _connections;
    private readonly CoapStreamSerializer _streams;
    private readonly CoapWebSocketSerializer _webSockets;
    private readonly EndpointState _state;
    private readonly ConnectionMemory _memory;
    private ulong _lastNumber;

    /// <summary>How much memory is taken for messages of which only a part is there, in bytes.</summary>
    public long AssemblyBytes => _memory.AssemblyBytes;

    /// <summary>How much waits to be sent on connections whose peers do not take it at once, in bytes.</summary>
    public long SendingBytes => _memory.SendingBytes;

    public Task PingAsync(CoapSession session, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(session);
        return session.Channel is { } channel
            ? _pipelines[channel.Shard.Index].Sender.PingAsync(channel, default, passesQueue: true, cancellationToken)
            : Task.FromException(new CoapConnectionException(CoapConnectionError.Lost, $"The session with {session.Remote} is not open."));
    }

    public bool IsBusy(CoapSession session) =>
        session.Channel is { } channel && RetiringSessions.IsBusy(PipelineOf(channel), channel);

    public Task FinishAsync(CoapSession session, CancellationToken cancellationToken) =>
        session.Channel is { } channel
            ? RetiringSessions.FinishAsync(PipelineOf(channel), channel, cancellationToken)
            : Task.CompletedTask;

    public ReadOnlyMemory<byte> Retire(CoapSession session) =>
        session.Channel is { } channel ? RetiringSessions.Retire(PipelineOf(channel), channel) : default;

    public void Resume(CoapSession session, ReadOnlySpan<byte> retired)
    {
        if (session.Channel is { } channel)
        {
            RetiringSessions.Resume(PipelineOf(channel), channel, retired);
        }
    }

    public bool Opened(CoapConnection connection)
    {
        CoapPipeline pipeline = _pipelines[ShardOf(connection.Remote)];
        CoapChannel channel = new(pipeline.Shard, connection, CoapTransmissionParameters.Default)
        {
            AsksForParameters = true,
            Number = Interlocked.Increment(ref _lastNumber)
        };
        channel.AskForParameters();
        long now = _environment.Now;
        channel.FirstSeen = now;
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
            pipeline.Shard.Exit();
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
        if (error.Rule == CoapFormatRule.MessageTooLarge)
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
            shard.Exit();
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
            shard.Exit();
        }
    }

    public bool TryReserveAssembly(CoapConnection connection, int bytes) => _memory.TryReserveAssembly(connection, bytes);

    public void ReleaseAssembly(CoapConnection connection, int bytes) => _memory.ReleaseAssembly(connection, bytes);

    public void BacklogChanged(CoapConnection connection) => _memory.OnBacklogChanged(connection);

    public void Writable(CoapConnection connection)
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
                shard.Exit();
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

        if (error is not null and not CoapConnectionException { Error: not CoapConnectionError.Lost })
        {
            Counters.Add(CoapCounter.ConnectionsLost);
        }

        // Last, so that code that sees it counted as closed also sees the reason.
        Counters.Add(CoapCounter.ConnectionsClosed);

        CoapConnectionException reason = error as CoapConnectionException ?? (error is null
            ? new CoapConnectionException(CoapConnectionError.Closed, $"{channel} closed the connection.")
            : new CoapConnectionException(CoapConnectionError.Lost, $"The connection to {channel} broke: {error.Message}", error));
        channel.Shard.Enter();
        try
        {
            channel.IsForgotten = true;
            SignallingOf(connection).Close(channel, reason);
            if (!channel.IsReliable)
            {
                // After the requests were told: of their messages nothing more is said.
                CoapPipeline pipeline = _pipelines[channel.Shard.Index];
                pipeline.Messages.Forget(channel);
                channel.Shard.Guard.OnForgotten(channel);
            }

            channel.Shard.AfterRelease(new EndLog(channel, reason.Error));
        }
        finally
        {
            channel.Shard.Exit();
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
            shard.Exit();
        }
    }

    private CoapPipeline PipelineOf(CoapChannel channel) => _pipelines[channel.Shard.Index];

    private SignallingLayer SignallingOf(CoapConnection connection) => _pipelines[connection.Channel!.Shard.Index].Signalling;

    private sealed class FormatErrorLog(CoapChannel channel, CoapFormatError error) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => SerializerLog.FormatError(shard.Environment.Logger, channel, error.Rule, error.Offset);
    }

    private sealed class EndLog(CoapChannel channel, CoapConnectionError error) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => SignallingLog.ConnectionEnded(shard.Environment.Logger, channel, error);
    }
}
