using System.Collections.Concurrent;
using CoAP.NET.Connecting;
using CoAP.NET.Options;
using CoAP.NET.Requests;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Connections;

/// <summary>
/// What happens to the peers of connections and sessions: they get ready (RFC 8323 section 3.3), move (RFC 9146 section 6), are released
/// (RFC 8323 section 5.5) and end. Tells users of it. Thread-safe; no lock may be held when it is called.
/// </summary>
/// <param name="endpoint">Who raises the events.</param>
/// <param name="environment">For clock, counters and log.</param>
/// <param name="pipelines">One for each shard.</param>
/// <param name="connections">All connections that stand.</param>
/// <param name="pool">Those that this end opened.</param>
/// <param name="sender">Sends pings.</param>
internal sealed class PeerEvents(
    CoapEndpoint endpoint,
    CoapEnvironment environment,
    CoapPipeline[] pipelines,
    ConnectionTable connections,
    ConnectionPool pool,
    RequestSender sender)
{
    private const string StoppedText = "The endpoint was stopped.";

    // Only those whose end somebody wants to know.
    private readonly ConcurrentDictionary<CoapChannel, CancellationTokenSource> _awaitedEnds = new();

    /// <summary>See <see cref="CoapEndpoint.PeerConnected"/>.</summary>
    public event EventHandler<CoapPeer>? Connected;

    /// <summary>See <see cref="CoapEndpoint.PeerDisconnected"/>.</summary>
    public event EventHandler<CoapDisconnection>? Disconnected;

    /// <summary>See <see cref="CoapEndpoint.PeerMoved"/>.</summary>
    public event EventHandler<CoapPeerMove>? Moved;

    /// <summary>The peers of all connections that are ready and not about to end; a list of its own.</summary>
    public IReadOnlyList<CoapPeer> Ready =>
        [.. connections.All().Where(static channel => ConnectionSignals.IsReady(channel) && ConnectionSignals.IsUsable(channel))
            .Select(CoapPeer.Of)];

    /// <summary>Whether the connection of a peer stands.</summary>
    /// <param name="channel">The channel.</param>
    public static bool IsConnected(CoapChannel channel) =>
        channel.IsConnection && !channel.IsForgotten && !ConnectionSignals.IsOver(channel);

    /// <summary>What is cancelled when a connection ends.</summary>
    /// <param name="channel">The channel.</param>
    public CancellationToken EndOf(CoapChannel channel)
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

    /// <summary>A connection is ready.</summary>
    /// <param name="channel">The channel.</param>
    public void OnReady(CoapChannel channel)
    {
        if (Connected is { } handlers)
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerConnected), handlers, endpoint, CoapPeer.Of(channel));
        }
    }

    /// <summary>A connection has ended.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="reason">Why.</param>
    public void OnGone(CoapChannel channel, CoapConnectionException reason)
    {
        pool.OnGone(channel);
        CancelAwaited(channel);
        if (Disconnected is { } handlers && ConnectionSignals.IsReady(channel))
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerDisconnected), handlers, endpoint,
                new CoapDisconnection(CoapPeer.Of(channel), reason));
        }
    }

    /// <summary>The address of a peer changed within its security session.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="from">The address before.</param>
    public void OnMoved(CoapChannel channel, CoapAddress from)
    {
        AskWhereMoved(channel);
        Log.PeerMoved(environment.Logger, channel, from.ToString());
        if (Moved is { } handlers)
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerMoved), handlers, endpoint,
                new CoapPeerMove(CoapPeer.Of(channel), from, channel.Remote));
        }
    }

    /// <summary>
    /// Asks a peer that moved whether it receives where it is now. Most devices know no Echo, but all know the Reset to an Empty message
    /// (RFC 7252 section 4.3). One question at a time, however often
    /// the peer moves; when nothing of it was answered, the next thing that the peer says is a reason for another.
    /// </summary>
    /// <param name="channel">The channel.</param>
    public void AskWhereMoved(CoapChannel channel)
    {
        CancellationTokenSource probe = new();
        if (Interlocked.Exchange(ref channel.Probe, probe) is { } before)
        {
            try
            {
                before.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // It has just been answered.
            }
        }

        // Threads may come here in another order than that of the moves. Whoever comes last asks where the peer is now.
        _ = AskWhereMovedAsync(channel, channel.MovedAt, probe);
    }

    /// <summary>Ends a connection in order, and waits until it has ended.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="holdOff">How long the peer is not to come back; null: nothing is said.</param>
    /// <param name="alternativeAddresses">Where it is to connect instead.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task ReleaseAsync(CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses,
        CancellationToken cancellationToken)
    {
        Release(channel, holdOff, alternativeAddresses, $"This end released the connection to {channel}.", atOnce: false);
        lock (channel.Shard.Gate)
        {
            return SignallingLayer.WhenEnded(channel).WaitAsync(cancellationToken);
        }
    }

    /// <summary>Ends a connection in order, as who handed it over wants it back.</summary>
    /// <param name="channel">The channel.</param>
    public void Release(CoapChannel channel) => Release(channel, null, [], StoppedText, atOnce: false);

    /// <summary>Asks all peers to close their connections, and waits for it.</summary>
    /// <param name="left">For how long at most.</param>
    /// <param name="cut">Ends the waiting.</param>
    public async Task ReleaseAllAsync(TimeSpan left, CancellationToken cut)
    {
        TimeSpan most = environment.Streams.ReleaseTimeout;
        left = most != Timeout.InfiniteTimeSpan && most < left ? most : left;
        if (left <= TimeSpan.Zero || cut.IsCancellationRequested)
        {
            return;
        }

        foreach (CoapChannel channel in connections.All())
        {
            Release(channel);
        }

        try
        {
            await connections.WhenEmptyAsync().WaitAsync(left, environment.TimeProvider, cut).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
        {
            // They are closed without waiting any longer.
        }
    }

    /// <summary>Closes all connections without waiting for anybody.</summary>
    public void CloseAll()
    {
        foreach (CoapChannel channel in connections.All())
        {
            Release(channel, null, [], StoppedText, atOnce: true);
        }
    }

    private void Release(CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses, string text,
        bool atOnce)
    {
        channel.Shard.Enter();
        try
        {
            SignallingOf(channel).Release(channel, holdOff, alternativeAddresses, text, environment.Now, atOnce);
        }
        finally
        {
            channel.Shard.Exit();
        }
    }

    private SignallingLayer SignallingOf(CoapChannel channel) => pipelines[channel.Shard.Index].Signalling;

    private async Task AskWhereMovedAsync(CoapChannel channel, long movedAt, CancellationTokenSource probe)
    {
        using CancellationTokenSource until = probe;
        try
        {
            // It waits for nothing: what is outstanding may be what is held back until the answer comes.
            await sender.PingAsync(channel, default, passesQueue: true, until.Token).ConfigureAwait(false);
            channel.Shard.Guard.OnAnswered(channel, movedAt);
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // Whatever else the peer acknowledges will do as well.
        }
        finally
        {
            Interlocked.CompareExchange(ref channel.Probe, null, probe);
        }
    }

    private void CancelAwaited(CoapChannel channel)
    {
        if (_awaitedEnds.TryRemove(channel, out CancellationTokenSource? end))
        {
            UserEvents.Run(environment, nameof(CoapPeer.Disconnected), end.Cancel);
        }
    }
}
