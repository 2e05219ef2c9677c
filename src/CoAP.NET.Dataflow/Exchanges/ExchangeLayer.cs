using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The state machine of RFC 7252 section 5 for the peers of one shard: tokens, pending client requests, and the matching of responses. Call
/// every method under Shard.Gate. Effects outside the lock are left with the shard.
/// </summary>
internal sealed class ExchangeLayer
{
    private readonly CoapShard _shard;

    // Guarded by Shard.Gate.
    private readonly HashSet<PingRequest> _pings = [];

    public ExchangeLayer(CoapShard shard)
    {
        _shard = shard;
        Continuations = new InlineContinuations(shard.Environment);
        UnmatchedNotificationQueue = new UnmatchedNotificationQueue(shard);
    }

    /// <summary>Decides which thread runs the application code after a response. Used without the lock.</summary>
    public InlineContinuations Continuations { get; }

    /// <summary>Notifications that wait for the resumption of an observation.</summary>
    public UnmatchedNotificationQueue UnmatchedNotificationQueue { get; }

    /// <summary>Registers a request before it leaves, so that no response can overtake it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="keepsToken">Whether its message has a token already, which it keeps if no other request has it.</param>
    public void Register(ClientRequest request, bool keepsToken = false)
    {
        PeerExchanges peer = StateOf(request.Channel);
        if (!keepsToken || !peer.IsFree(request.Message.Token))
        {
            request.Message.Token = peer.NextToken(request.Message.Token.Length);
        }

        peer.Pending.Add(request.Message.Token, request);
        request.IsPending = true;
        ProtectedPeersOfChannel.Begin(request.Channel, request.Message.Token);
        request.Channel.Pins++;
        long now = _shard.Environment.Now;
        if (request.Channel.IsReliable)
        {
            // A message counts as delivered when the transport has it, so only the response is awaited.
            request.IsAcknowledged = true;
            TimeSpan wait = request.Time.Left ?? RequestTimeouts.ResponseTimeOf(request.Channel.Parameters, isConfirmable: true);
            request.Deadline = After(now, wait);
        }
        else if (request.Time.Left is { } timeout)
        {
            request.Deadline = After(now, timeout);
        }
        else if (request.Message.Type == CoapMessageType.NonConfirmable)
        {
            request.Deadline = After(now, RequestTimeouts.ResponseTimeOf(request.Channel.Parameters, isConfirmable: false));
        }

        Arm(request, now);
    }

    /// <summary>Registers a ping before it leaves.</summary>
    public void Register(PingRequest ping)
    {
        _pings.Add(ping);
        ping.IsPending = true;
        ping.Channel.Pins++;
        long now = _shard.Environment.Now;
        if (ping.Channel.IsReliable)
        {
            ping.IsAcknowledged = true;
            ping.Deadline = After(now, ping.Time.Left ?? _shard.Environment.Streams.PongTimeout);
        }
        else if (ping.Time.Left is { } timeout)
        {
            ping.Deadline = After(now, timeout);
        }

        Arm(ping, now);
    }

    /// <summary>Matches a response to its request by peer and token (RFC 7252 section 5.3.2), and removes the request.</summary>
    public bool TryTake(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out ClientRequest? request)
    {
        if (PeerExchanges.Of(channel) is { } peer && peer.Pending.TryGetValue(token, out request))
        {
            Remove(peer, request);
            return true;
        }

        request = null;
        return false;
    }

    /// <summary>Handles an acknowledgement without a response: the time for a separate response begins (RFC 7252 section 5.2.2).</summary>
    public void OnAcknowledged(ClientRequest request)
    {
        if (!request.IsPending || request.IsAcknowledged)
        {
            return;
        }

        request.IsAcknowledged = true;
        long now = _shard.Environment.Now;
        if (ProtectedPeersOfChannel.DoubtOf(request.Channel, request.Message.Token) is not null)
        {
            // It is about to end.
            return;
        }

        if (request.Time.Left is not { } timeout)
        {
            request.Deadline = After(now, RequestTimeouts.ResponseTimeOf(request.Channel.Parameters, isConfirmable: true));
        }
        else if (After(now, timeout) == long.MaxValue)
        {
            request.Deadline = long.MaxValue;
        }

        Arm(request, now);
    }

    /// <summary>Handles the timeout of a request. Runs under the lock, from the wheel.</summary>
    public void OnTimeout(PendingRequest request, long now)
    {
        if (request.Deadline == long.MaxValue && request.Transmission.IsOver)
        {
            // The outcome of the message should have ended the request by now, unless a block of the application keeps or lost it.
            request.Deadline = now + WatchPeriodOf(request);
        }

        bool isInVain = WaitsInVain(request, now);
        if (now < request.Deadline && !isInVain)
        {
            Arm(request, now);
            return;
        }

        CoapException? doubt = ProtectedPeersOfChannel.DoubtOf(request.Channel, request.Message.Token);
        if (!TryTake(request))
        {
            return;
        }

        _shard.Cancel(request.Transmission);
        request.FailAfterRelease(
            doubt ?? new CoapTimeoutException(RequestTimeouts.Over(request, isInVain), request.Message.Code, request.Target));
    }

    /// <summary>
    /// Handles an unverified failure of a request: it continues to wait for a reliable answer, at most until its own end. The first of
    /// several errors counts.
    /// </summary>
    /// <returns>Whether there is such a request.</returns>
    public bool TryDoubt(CoapChannel channel, CoapToken token, CoapException error, TimeSpan wait)
    {
        if (!TryFindPending(channel, token, out ClientRequest? request))
        {
            return false;
        }

        ProtectedPeersOfChannel.Doubt(channel, token, error);
        long now = _shard.Environment.Now;
        request.Deadline = Math.Min(request.Deadline, After(now, wait));
        Arm(request, now);
        return true;
    }

    /// <summary>Finds a pending client request. Under Shard.Gate.</summary>
    public static bool TryFindPending(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out ClientRequest? request)
    {
        request = null;
        return PeerExchanges.Of(channel) is { } peer && peer.Pending.TryGetValue(token, out request);
    }

    /// <summary>Handles a caller that stopped waiting: sends no further copies, and rejects a late response as unknown.</summary>
    public bool Abandon(PendingRequest request)
    {
        if (!TryTake(request))
        {
            return false;
        }

        _shard.Cancel(request.Transmission);
        return true;
    }

    /// <summary>Removes all pending requests and pings, because the endpoint stops.</summary>
    public List<PendingRequest> TakeAll(IEnumerable<CoapChannel> channels) => TakeAll(channels, static _ => true);

    /// <summary>Removes all pending requests and pings of one peer, because its connection has ended.</summary>
    public List<PendingRequest> TakeAll(CoapChannel channel) => TakeAll([channel], ping => ping.Channel == channel);

    /// <summary>Returns the number of pending client requests to a peer. Under Shard.Gate.</summary>
    public static int PendingOf(CoapChannel channel) => PeerExchanges.Of(channel)?.Pending.Count ?? 0;

    /// <summary>
    /// Whether client requests to a peer are pending, on its channel or protected ones on it, and whether the peer has acknowledged one, so
    /// that a separate response will follow. Under Shard.Gate.
    /// </summary>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="isAcknowledged">Whether the peer processes one of them.</param>
    public static bool HasPending(CoapChannel channel, out bool isAcknowledged)
    {
        bool hasPending = false;
        isAcknowledged = false;
        foreach (CoapChannel one in ProtectedPeersOfChannel.Of(channel)?.All.Prepend(channel) ?? [channel])
        {
            if (PeerExchanges.Of(one) is { Pending: { Count: > 0 } pending })
            {
                hasPending = true;
                isAcknowledged |= pending.Values.Any(static request => request.IsAcknowledged);
            }
        }

        return hasPending;
    }

    // A token is never used twice, so a late message for a closed one never matches another request.
    /// <summary>Returns the number of tokens to a peer that have any number of responses. Under Shard.Gate.</summary>
    public static int MultiResponseTokenCountOf(CoapChannel channel) => PeerExchanges.Of(channel)?.MultiResponseTokens?.Count ?? 0;

    /// <summary>Gives a request its token and adds it to the table, so that a notification may overtake the answer.</summary>
    public void Open(MultiResponseToken request)
    {
        PeerExchanges peer = StateOf(request.Channel);
        request.Token = peer.NextToken(CoapToken.MaxLength);
        Open(peer, request);
    }

    /// <summary>Adds a request with a token of an earlier process to the table, if no other request to the peer has it.</summary>
    /// <returns>False when the token is in use.</returns>
    public bool TryAdopt(MultiResponseToken request)
    {
        PeerExchanges peer = StateOf(request.Channel);
        if (!peer.TryReserve(request.Token))
        {
            return false;
        }

        Open(peer, request);
        UnmatchedNotificationQueue.OnAdopted(request);
        return true;
    }

    private static void Open(PeerExchanges peer, MultiResponseToken request)
    {
        (peer.MultiResponseTokens ??= []).Add(request.Token, request);
        request.IsOpen = true;
        ProtectedPeersOfChannel.Begin(request.Channel, request.Token);
        request.Channel.Pins++;
    }

    /// <summary>Finds the request of a response by its token.</summary>
    public static bool TryFind(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out MultiResponseToken? request)
    {
        request = null;
        return PeerExchanges.Of(channel) is { MultiResponseTokens: { } open } && open.TryGetValue(token, out request);
    }

    /// <summary>Returns the tokens to a peer that have any number of responses, as a new list.</summary>
    public static List<MultiResponseToken> MultiResponseTokensOf(CoapChannel channel) =>
        PeerExchanges.Of(channel) is { MultiResponseTokens: { } open } ? [.. open.Values] : [];

    /// <summary>Removes a request from the table. Does nothing when it was already closed.</summary>
    public static void Close(MultiResponseToken request)
    {
        if (request.IsOpen && PeerExchanges.Of(request.Channel) is { MultiResponseTokens: { } open } peer)
        {
            request.IsOpen = false;
            ProtectedPeersOfChannel.End(request.Channel, request.Token);
            request.Channel.Pins--;
            open.Remove(request.Token);
            if (open.Count == 0)
            {
                peer.MultiResponseTokens = null;
            }
        }
    }

    private List<PendingRequest> TakeAll(IEnumerable<CoapChannel> channels, Func<PingRequest, bool> isTaken)
    {
        List<PendingRequest> all = [];
        foreach (CoapChannel channel in channels.SelectMany(
            static carrier => ProtectedPeersOfChannel.Of(carrier)?.All.Prepend(carrier) ?? [carrier]))
        {
            if (PeerExchanges.Of(channel) is { } peer)
            {
                foreach (ClientRequest request in peer.Pending.Values.ToArray())
                {
                    Remove(peer, request);
                    all.Add(request);
                }
            }
        }

        foreach (PingRequest ping in _pings.Where(isTaken).ToArray())
        {
            TryTake(ping);
            all.Add(ping);
        }

        return all;
    }

    private PeerExchanges StateOf(CoapChannel channel)
    {
        if (PeerExchanges.Of(channel) is { } state)
        {
            return state;
        }

        state = channel.Carried is { } carried
            ? new PeerExchanges(StateOf(carried.Carrier))
            : new PeerExchanges(_shard.Environment.Random);
        PeerExchanges.Set(channel, state);
        return state;
    }

    /// <summary>Removes a request because its message ended: rejected, given up, unreachable, refused.</summary>
    public bool TryTake(PendingRequest request)
    {
        if (!request.IsPending)
        {
            return false;
        }

        Remove(request is PingRequest ? null : StateOf(request.Channel), request);
        return true;
    }

    private void Remove(PeerExchanges? peer, PendingRequest request)
    {
        if (request is PingRequest ping)
        {
            _pings.Remove(ping);
        }
        else
        {
            peer!.Pending.Remove(request.Message.Token);
            ProtectedPeersOfChannel.End(request.Channel, request.Message.Token);
        }

        request.IsPending = false;
        request.Channel.Pins--;
        _shard.Wheel.Cancel(request);
        if ((request.Channel.Carried?.Carrier ?? request.Channel).Messaging.SessionHandover is { } retirement)
        {
            // The transfer of the session to another server waits for it.
            _shard.AfterRelease(retirement);
        }
    }

    private void Arm(PendingRequest request, long now)
    {
        if (request.Deadline != long.MaxValue)
        {
            _shard.Wheel.Schedule(request, request.Deadline);
        }
        else if (request.Message.Type == CoapMessageType.Confirmable && !request.IsAcknowledged)
        {
            // The outcome of the message ends the request. A periodic check ends it too if that outcome gets lost.
            _shard.Wheel.Schedule(request, now + WatchPeriodOf(request));
        }
        else
        {
            _shard.Wheel.Cancel(request);
        }
    }

    // Its turn may be hours away: PROBING_RATE (RFC 7252 section 4.7) delays messages to a long silent peer, for as long as all earlier
    // ones took.
    private static bool WaitsInVain(PendingRequest request, long now) =>
        request is { Time.IsSet: false, Deadline: long.MaxValue, Transmission: { Attempts: 0, IsQueued: true } }
        && now - request.Channel.LastSeen >= request.Channel.Parameters.ExchangeLifetime.Ticks;

    private static long WatchPeriodOf(PendingRequest request) => request.Channel.Parameters.MaxTransmitWait.Ticks;

    private static long After(long now, TimeSpan wait) =>
        wait == Timeout.InfiniteTimeSpan || wait.Ticks >= long.MaxValue - now ? long.MaxValue : now + wait.Ticks;
}
