using System.Net.Sockets;
using CoAP.NET.Exchanges;
using CoAP.NET.Serialization;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Composition;

/// <summary>The interface of an endpoint for its transports.</summary>
internal sealed partial class EndpointContext : ICoapDatagramContext, ICoapStreamContext, ICoapSessionContext
{
    private readonly CoapEnvironment _environment;
    private readonly CoapPipeline[] _pipelines;
    private readonly ShardClock[] _clocks;
    private readonly CoapAddressHash _hash;
    private readonly PeerEvents _peers;

    public EndpointContext(
        CoapEnvironment environment,
        CoapPipeline[] pipelines,
        ShardClock[] clocks,
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
        _memory = new ConnectionMemory(environment.Limits, environment.Counters, environment.Sources);
    }

    public TimeProvider TimeProvider => _environment.TimeProvider;

    public CoapSourceRule Sources => _environment.Sources;

    public CoapRandomSource Random => _environment.Random;

    public CoapLimits Limits => _environment.Limits;

    public CoapCounters Counters => _environment.Counters;

    public ILogger Logger => _environment.Logger;

    public int ShardCount => _pipelines.Length;

    public CoapScheduler Scheduler => _environment.Scheduler;

    public CoapEpochKeys? SharedKeysFor(string purpose, TimeSpan epoch) => _environment.Secret?.KeysFor(purpose, epoch);

    public void Receive(CoapDatagram datagram)
    {
        int shard = datagram.Channel is { } channel ? channel.Shard.Index : ShardOf(datagram.Remote);
        if (datagram.Channel is { IsVerified: false, IsConnection: true, IsForgotten: false } moved && moved.Remote == datagram.Remote)
        {
            moved.Shard.Guard.OnReceivedWhereMoved(moved, datagram.Length);
            if (moved.Probe is null)
            {
                _peers.AskWhereMoved(moved);
            }
        }

        datagram.IsLate = _state.IsStopping;
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
        if (error is not SocketException { SocketErrorCode: var code } || !CoapSendException.IsLasting(code)
            || IsSourceAway(datagram, code))
        {
            return;
        }

        CoapPipeline pipeline = _pipelines[datagram.Channel?.Shard.Index ?? ShardOf(datagram.Remote)];
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

    public void Fault(CoapException error) => _pipelines[0].Shard.Drain.TargetOf<CoapException>()?.Carry(in error);

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted)
    {
        CoapPipeline pipeline = _pipelines[ShardOf(remote)];
        foreach (CoapChannel channel in pipeline.Channels.Find(remote))
        {
            pipeline.MessagingIn.Unreachable(channel, quoted);
        }
    }

    public TimeSpan Tick()
    {
        long next = long.MaxValue;
        foreach (ShardClock clock in _clocks)
        {
            next = Math.Min(next, clock.Tick());
        }

        return next == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromTicks(Math.Max(0, next - _environment.ReadClock()));
    }
}
