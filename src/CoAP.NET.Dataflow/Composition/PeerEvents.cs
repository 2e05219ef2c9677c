using System.Collections.Concurrent;
using CoAP.NET.Channels;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;

namespace CoAP.NET.Composition;

/// <summary>
/// Handles the events of peers with connections and sessions, and raises them for users: ready (RFC 8323 section 3.3), moved (RFC 9146
/// section 6), released (RFC 8323 section 5.5) and ended. Thread-safe; the caller must hold no lock.
/// </summary>
/// <param name="endpoint">The sender of the events.</param>
/// <param name="environment">Provides clock, counters and log.</param>
/// <param name="pipelines">The pipelines, one for each shard.</param>
/// <param name="connections">All current connections.</param>
/// <param name="pool">The connections that this endpoint opened.</param>
/// <param name="sender">Sends pings.</param>
internal sealed class PeerEvents(
    object endpoint,
    CoapEnvironment environment,
    CoapShardPipeline[] pipelines,
    ConnectionTable connections,
    ConnectionPool pool,
    RequestSender sender)
{
    private const string StoppedText = "The endpoint was stopped.";

    // Only connections whose end is observed.
    private readonly ConcurrentDictionary<CoapChannel, CancellationTokenSource> _awaitedEnds = new();

    public event EventHandler<CoapPeer>? Connected;

    public event EventHandler<CoapDisconnection>? Disconnected;

    public event EventHandler<CoapPeerMove>? Moved;

    /// <summary>A copy of the list of peers whose connections are ready and not about to end.</summary>
    public IReadOnlyList<CoapPeer> Ready =>
        [.. connections.All().Where(static channel => ConnectionStatusReader.IsReady(channel) && ConnectionStatusReader.IsUsable(channel))
            .Select(CoapPeer.Of)];

    public static bool IsConnected(CoapChannel channel) =>
        channel.IsConnection && !channel.IsForgotten && !ConnectionStatusReader.IsOver(channel);

    /// <summary>Returns a token that is cancelled when a connection ends.</summary>
    public CancellationToken EndOf(CoapChannel channel)
    {
        if (!channel.IsConnection)
        {
            return CancellationToken.None;
        }

        CancellationToken token = _awaitedEnds.GetOrAdd(channel, static _ => new CancellationTokenSource()).Token;
        if (channel.IsForgotten)
        {
            // The thread that handles the end may have checked before.
            CancelAwaited(channel);
        }

        return token;
    }

    /// <summary>Handles a connection or session that is ready.</summary>
    public void OnReady(CoapChannel channel)
    {
        if (Connected is { } handlers)
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerConnected), handlers, endpoint, CoapPeer.Of(channel));
        }
    }

    /// <summary>Handles a connection or session that has ended.</summary>
    public void OnGone(CoapChannel channel, CoapConnectionException reason)
    {
        pool.OnGone(channel);
        CancelAwaited(channel);
        if (Disconnected is { } handlers && ConnectionStatusReader.IsReady(channel))
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerDisconnected), handlers, endpoint,
                new CoapDisconnection(CoapPeer.Of(channel), reason));
        }
    }

    /// <summary>Handles a new address of a peer within its security session.</summary>
    public void OnMoved(CoapChannel channel, CoapAddress from)
    {
        ResolveMovedAddress(channel);
        ReportMove(channel, from);
    }

    /// <summary>
    /// Checks whether a moved peer receives at its new address: by the transport (RFC 9853), or else by an Empty message, to which all
    /// devices answer with a Reset (RFC 7252 section 4.3), while most do not support Echo. There is one probe at a time, however often the
    /// peer moves; after an unanswered probe, the next message of the peer starts another.
    /// </summary>
    public void ResolveMovedAddress(CoapChannel channel)
    {
        SessionMove move = SessionMove.Of(channel)!;
        CancellationTokenSource probe = new();
        if (Interlocked.Exchange(ref move.Probe, probe) is { } before)
        {
            try
            {
                before.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // The probe has just been answered.
            }
        }

        // Threads may arrive in another order than that of the moves. The last one probes the current address.
        _ = ResolveMovedAddressAsync(channel, move.At, probe);
    }

    /// <summary>Closes a connection gracefully, and waits until it has ended.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="holdOff">How long the peer should not connect again; null: the option is absent.</param>
    /// <param name="alternativeAddresses">The addresses to connect to instead.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task ReleaseAsync(CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses,
        CancellationToken cancellationToken)
    {
        Release(channel, holdOff, alternativeAddresses, $"This end released the connection to {channel}.", atOnce: false);
        lock (channel.Shard.Gate)
        {
            return SignallingLayer.WhenEnded(channel).WaitAsync(cancellationToken);
        }
    }

    /// <summary>Closes a connection gracefully because its owner requests it back.</summary>
    public void Release(CoapChannel channel) => Release(channel, null, [], StoppedText, atOnce: false);

    /// <summary>
    /// Asks all peers to close their connections, and waits for it. Sessions, in which there is no such message, stay open; it waits until
    /// nothing is pending in them.
    /// </summary>
    /// <param name="left">The maximum time.</param>
    /// <param name="cut">Ends the wait.</param>
    public async Task ReleaseAllAsync(TimeSpan left, CancellationToken cut)
    {
        TimeSpan most = environment.Streams.ReleaseTimeout;
        left = most != Timeout.InfiniteTimeSpan && most < left ? most : left;
        if (left <= TimeSpan.Zero || cut.IsCancellationRequested)
        {
            return;
        }

        List<Task> ends = [];
        foreach (CoapChannel channel in connections.All())
        {
            channel.Shard.Enter();
            try
            {
                ends.Add(SignallingOf(channel).ReleaseToStop(channel, StoppedText, environment.Now));
            }
            finally
            {
                channel.Shard.ExitAndSend();
            }
        }

        try
        {
            await Task.WhenAll(ends).WaitAsync(left, environment.TimeProvider, cut).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
        {
            // They are closed without any further wait.
        }
    }

    /// <summary>Closes connections without waiting.</summary>
    /// <param name="condition">Whether to close the connection of a peer.</param>
    /// <param name="text">The reason as a sentence.</param>
    /// <returns>Number of closed connections.</returns>
    public int Disconnect(Func<CoapPeer, bool> condition, string text)
    {
        int count = 0;
        foreach (CoapChannel channel in connections.All())
        {
            if (!ConnectionStatusReader.IsOver(channel) && condition(CoapPeer.Of(channel)))
            {
                Release(channel, null, [], text, atOnce: true);
                count++;
            }
        }

        return count;
    }

    /// <summary>Closes all connections of reliable transports without waiting, each by a last frame that passes the mesh.</summary>
    public void CloseStreams() => CloseAll(isReliable: true);

    /// <summary>Closes all sessions without waiting.</summary>
    public void CloseSessions() => CloseAll(isReliable: false);

    private void CloseAll(bool isReliable)
    {
        foreach (CoapChannel channel in connections.All().Where(channel => channel.IsReliable == isReliable))
        {
            Release(channel, null, [], StoppedText, atOnce: true);
        }
    }

    private void Release(
        CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses, string text,
        bool atOnce)
    {
        channel.Shard.Enter();
        try
        {
            SignallingOf(channel).Release(channel, holdOff, alternativeAddresses, text, environment.Now, atOnce);
        }
        finally
        {
            channel.Shard.ExitAndSend();
        }
    }

    private SignallingLayer SignallingOf(CoapChannel channel) => pipelines[channel.Shard.Index].Signalling;

    private async Task ResolveMovedAddressAsync(CoapChannel channel, long movedAt, CancellationTokenSource probe)
    {
        using CancellationTokenSource until = probe;
        CoapSession? session = channel.Connection as CoapSession;
        CoapAddress address = channel.Remote;
        try
        {
            if (session is { ChecksPaths: true })
            {
                if (!await session.CheckPathAsync(until.Token).ConfigureAwait(false))
                {
                    ReturnToFormerAddress(channel, session, address, movedAt);
                    return;
                }
            }
            else
            {
                // It bypasses the queue: the outstanding message may be the one that is held back until the answer arrives.
                await sender.PingAsync(channel, default, passesQueue: true, until.Token).ConfigureAwait(false);
            }

            session?.LeaveFormerAddress(address);
            channel.Shard.Guard.OnAnswered(channel, movedAt);
        }
        catch (OperationCanceledException)
        {
            // The peer moved again, which began another check, or the connection has ended.
        }
        catch (CoapException)
        {
            if (session is not null)
            {
                ReturnToFormerAddress(channel, session, address, movedAt);
            }
        }
        finally
        {
            Interlocked.CompareExchange(ref SessionMove.Of(channel)!.Probe, null, probe);
        }
    }

    // RFC 9853 section 5.1: without an answer, the peer has the address that it had.
    private void ReturnToFormerAddress(CoapChannel channel, CoapSession session, in CoapAddress address, long movedAt)
    {
        if (SessionMove.TimeOf(channel) == movedAt && session.ReturnToFormerAddress(address))
        {
            channel.Shard.Guard.OnReturned(channel, movedAt);
            ReportMove(channel, address);
        }
    }

    private void ReportMove(CoapChannel channel, in CoapAddress from)
    {
        ConnectingLog.PeerMoved(environment.Logger, channel.Identity?.ToString() ?? "identity unknown", channel, from.ToString());
        if (Moved is { } handlers)
        {
            UserEvents.Raise(environment, nameof(CoapEndpoint.PeerMoved), handlers, endpoint,
                new CoapPeerMove(CoapPeer.Of(channel), from, channel.Remote));
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
