using System.Collections.Concurrent;
using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Connections of reliable transports (RFC 8323): those that peers opened, and those that requests of ours need.
public sealed partial class CoapEndpoint
{
    private readonly ConnectionSignals _signals = new();
    private readonly ConnectionPool _pool;
    private readonly ConnectionStep _connectionStep;

    // Only those whose end somebody wants to know.
    private readonly ConcurrentDictionary<CoapChannel, CancellationTokenSource> _awaitedEnds = new();

    /// <summary>
    /// Raised when a connection is ready, as the peer's CSM came (RFC 8323 section 3.3), or the handshake of a DTLS session is complete: one that a peer opened, or one of ours. From then on the peer can be asked and observed, also when it
    /// never sent a request. Raised on the thread that receives, with no lock held; do not block in it, and do not wait for what the peer has to send. What a handler throws is logged.
    /// </summary>
    public event EventHandler<CoapPeer>? PeerConnected;

    /// <summary>Raised when a connection of which <see cref="PeerConnected"/> told has ended, as the requests on it fail. Raised on a thread of the library, with no lock held; what a handler throws is logged.</summary>
    public event EventHandler<CoapDisconnection>? PeerDisconnected;

    /// <summary>The peers of all connections that are ready and not about to end, whoever opened them; a list of its own. A session of DTLS is ready when its handshake is complete. Plain datagram transports have no connections.</summary>
    public IReadOnlyList<CoapPeer> ConnectedPeers => [.. _connections.All().Where(channel => _signals.IsReady(channel) && _signals.IsUsable(channel)).Select(CoapPeer.Of)];

    internal ConnectionTable Connections => _connections;

    internal ConnectionPool Pool => _pool;

    /// <summary>What counts towards <see cref="CoapLimits.MaxFrameAssemblyBytes"/>, in bytes.</summary>
    internal long FrameAssemblyBytes => _context.AssemblyBytes;

    internal long StreamSendBytes => _context.SendingBytes;

    internal static bool IsConnected(CoapChannel channel) => channel.IsConnection && !channel.IsForgotten && !ConnectionSignals.IsOver(channel);

    /// <summary>What is cancelled when a connection ends.</summary>
    internal CancellationToken EndOf(CoapChannel channel)
    {
        if (!channel.IsConnection)
        {
            return CancellationToken.None;
        }

        CancellationToken token = _awaitedEnds.GetOrAdd(channel, static _ => new CancellationTokenSource()).Token;
        if (channel.IsForgotten)
        {
            // Whoever tells of the end may have looked before.
            CancelAwaited(channel);
        }

        return token;
    }

    /// <summary>The connection that requests on a route use, opened if need be; for what is sent without the steps of requests.</summary>
    private ValueTask<CoapChannel> ChannelToAsync(
        ConnectionRoute route, CoapMessage message, CoapContent? content, RequestTime time, CancellationToken cancellationToken) =>
        _connectionStep.ConnectAsync(route, message, ConnectionStep.NeedsCapabilities(message, content), time, cancellationToken);

    private async Task<TimeSpan> PingAsync(ConnectionRoute route, RequestTime time, long started, CancellationToken cancellationToken)
    {
        CoapMessage ping = new();
        for (bool isFirst = true; ; isFirst = false)
        {
            CoapChannel channel = await ChannelToAsync(route, ping, null, time.Since(started, _environment.Now), cancellationToken)
                .ConfigureAwait(false);
            try
            {
                return await _sender.PingAsync(channel, time.Since(started, _environment.Now), passesQueue: false, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapConnectionException exception) when (isFirst && exception.IsUnsent && route.Only is null)
            {
                // The connection had ended before it was used.
            }
        }
    }

    private static ConnectionRoute RouteTo(CoapConnectionTransport transport, CoapUri uri, IPAddress[] addresses, IPAddress? local = null) =>
        new(transport, Array.ConvertAll(addresses, address => AddressOf(uri, address)), uri.HostAddress is null ? uri.Host : null, local);

    /// <summary>The channel that stands for a route; one without a connection where there is none, for those steps that come before one is needed.</summary>
    private CoapChannel ChannelOf(ConnectionRoute route)
    {
        CoapAddress remote = route.Addresses[0];
        return _pool.Find(route) ?? new CoapChannel(_pipelines[_context.ShardOf(remote)].Shard, route.Transport, 0, remote, default, CoapTransmissionParameters.Default);
    }

    // RFC 8323 section 5.5: what a peer names as an alternative to itself is host and port, of the same scheme.
    private async Task<IReadOnlyList<CoapAddress>> FindAlternativeAsync(CoapConnectionTransport transport, string alternative, CancellationToken cancellationToken)
    {
        if (!CoapUri.TryParse($"{transport.Scheme}://{alternative}", out CoapUri? uri) || uri.Port == 0 || uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new CoapConnectionException(CoapConnectionError.ConnectFailed, $"'{alternative}' is no host with a port.");
        }

        IPAddress[] addresses = await _hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false);
        return Array.ConvertAll(addresses, address => AddressOf(uri, address));
    }

    internal void OnReady(CoapChannel channel)
    {
        if (PeerConnected is { } handlers)
        {
            Raise(nameof(PeerConnected), handlers, static (endpoint, handler, peer) => handler(endpoint, peer), CoapPeer.Of(channel));
        }
    }

    internal void OnGone(CoapChannel channel, CoapConnectionException reason)
    {
        _pool.OnGone(channel);
        CancelAwaited(channel);
        if (PeerDisconnected is { } handlers && _signals.IsReady(channel))
        {
            Raise(nameof(PeerDisconnected), handlers, static (endpoint, handler, end) => handler(endpoint, end), new CoapDisconnection(CoapPeer.Of(channel), reason));
        }
    }

    private void CancelAwaited(CoapChannel channel)
    {
        if (_awaitedEnds.TryRemove(channel, out CancellationTokenSource? end))
        {
            RunUserCode(nameof(CoapPeer.Disconnected), static end => ((CancellationTokenSource)end!).Cancel(), end);
        }
    }

    private void Raise<T>(string name, EventHandler<T> handlers, Action<CoapEndpoint, EventHandler<T>, T> call, T argument)
    {
        // Each by itself: one that fails must not keep the news from the others.
        foreach (Delegate handler in handlers.GetInvocationList())
        {
            RunUserCode(name, state => call(this, (EventHandler<T>)state!, argument), handler);
        }
    }

    private void RunUserCode(string name, Action<object?> code, object? state)
    {
        UserCode.Enter();
        try
        {
            code(state);
        }
#pragma warning disable CA1031 // a handler of a user must not cost the peer its connection
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.PeerHandlerFailed(_environment.Logger, exception, name);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
