using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Exchanges;

/// <summary>
/// The state machine of RFC 7252 section 5 for the peers of one shard: tokens, the requests of ours that wait, and which response belongs
/// to which. Every method must be called under Shard.Gate; what has to be done outside the lock is left with the shard.
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
        Held = new HeldNotifications(shard);
    }

    /// <summary>Decides where what users do after a response runs. Used without the lock.</summary>
    public InlineContinuations Continuations { get; }

    /// <summary>Notifications that wait for an observation to be adopted.</summary>
    public HeldNotifications Held { get; }

    /// <summary>Registers a request before it leaves, so that no response can overtake it.</summary>
    public void Register(ClientRequest request)
    {
        PeerExchanges peer = StateOf(request.Channel);
        request.Message.Token = peer.NextToken(request.Message.Token.Length);
        peer.Pending.Add(request.Message.Token, request);
        request.IsPending = true;
        ProtectedChannels.Begin(request.Channel, request.Message.Token);
        request.Channel.Pins++;
        long now = _shard.Environment.Now;
        if (request.Channel.IsReliable)
        {
            // Given to the transport it counts as delivered, so that only the response is waited for.
            request.IsAcknowledged = true;
            TimeSpan wait = request.Time.Left ?? ExchangeTimes.ResponseTimeOf(request.Channel.Parameters, isConfirmable: true);
            request.Deadline = After(now, wait);
        }
        else if (request.Time.Left is { } timeout)
        {
            request.Deadline = After(now, timeout);
        }
        else if (request.Message.Type == CoapMessageType.NonConfirmable)
        {
            request.Deadline = After(now, ExchangeTimes.ResponseTimeOf(request.Channel.Parameters, isConfirmable: false));
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

    /// <summary>
    /// Matches a response to the request it answers, by peer and token (RFC 7252 section 5.3.2), and takes the request out.
    /// </summary>
    public bool TryTake(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out ClientRequest? request)
    {
        if (channel.ExchangeState is { } peer && peer.Pending.TryGetValue(token, out request))
        {
            Remove(peer, request);
            return true;
        }

        request = null;
        return false;
    }

    /// <summary>
    /// The message of a request was acknowledged without a response: the time for a separate response begins (RFC 7252 section 5.2.2).
    /// </summary>
    public void OnAcknowledged(ClientRequest request)
    {
        if (!request.IsPending || request.IsAcknowledged)
        {
            return;
        }

        request.IsAcknowledged = true;
        long now = _shard.Environment.Now;
        if (ProtectedChannels.DoubtOf(request.Channel, request.Message.Token) is not null)
        {
            // It is about to end.
            return;
        }

        if (request.Time.Left is not { } timeout)
        {
            request.Deadline = After(now, ExchangeTimes.ResponseTimeOf(request.Channel.Parameters, isConfirmable: true));
        }
        else if (After(now, timeout) == long.MaxValue)
        {
            request.Deadline = long.MaxValue;
        }

        Arm(request, now);
    }

    /// <summary>The time of a request is over. Runs under the lock, from the wheel.</summary>
    public void OnTimeout(PendingRequest request, long now)
    {
        if (request.Deadline == long.MaxValue && request.Transmission.IsOver)
        {
            // What became of the message should have ended the request by now, unless a block that a user linked in keeps it, or lost it.
            request.Deadline = now + WatchPeriodOf(request);
        }

        bool isInVain = WaitsInVain(request, now);
        if (now < request.Deadline && !isInVain)
        {
            Arm(request, now);
            return;
        }

        CoapException? doubt = ProtectedChannels.DoubtOf(request.Channel, request.Message.Token);
        if (!TryTake(request))
        {
            return;
        }

        _shard.Cancel(request.Transmission);
        _shard.Tell(
            request, doubt ?? new CoapTimeoutException(ExchangeTimes.Over(request, isInVain), request.Message.Code, request.Target));
    }

    /// <summary>
    /// A request seems to have failed, but anybody can have said so: it waits a while longer for who knows better, at most until its own
    /// end. The first error of several counts.
    /// </summary>
    /// <param name="channel">The protected peer.</param>
    /// <param name="token">The token of the request.</param>
    /// <param name="error">What it ends with.</param>
    /// <param name="wait">How long it waits.</param>
    /// <returns>Whether there is such a request.</returns>
    public bool TryDoubt(CoapChannel channel, CoapToken token, CoapException error, TimeSpan wait)
    {
        if (!TryFindPending(channel, token, out ClientRequest? request))
        {
            return false;
        }

        ProtectedChannels.Doubt(channel, token, error);
        long now = _shard.Environment.Now;
        request.Deadline = Math.Min(request.Deadline, After(now, wait));
        Arm(request, now);
        return true;
    }

    /// <summary>Finds a request of ours that waits. Under Shard.Gate.</summary>
    public static bool TryFindPending(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out ClientRequest? request)
    {
        request = null;
        return channel.ExchangeState is { } peer && peer.Pending.TryGetValue(token, out request);
    }

    /// <summary>The caller does not wait any more: no further copies; a late response is rejected as unknown.</summary>
    public bool Abandon(PendingRequest request)
    {
        if (!TryTake(request))
        {
            return false;
        }

        _shard.Cancel(request.Transmission);
        return true;
    }

    /// <summary>Takes out every request and ping that waits, because the endpoint stops.</summary>
    public List<PendingRequest> TakeAll(IEnumerable<CoapChannel> channels) => TakeAll(channels, static _ => true);

    /// <summary>Takes out every request and ping that waits for one peer, because its connection has ended.</summary>
    public List<PendingRequest> TakeAll(CoapChannel channel) => TakeAll([channel], ping => ping.Channel == channel);

    /// <summary>The number of requests of ours that wait for a peer. Under Shard.Gate.</summary>
    public static int PendingOf(CoapChannel channel) => channel.ExchangeState?.Pending.Count ?? 0;

    /// <summary>
    /// Whether requests of ours wait for a peer, on its channel or protected ones within, and whether it has acknowledged one, so that its
    /// separate response is to come. Under Shard.Gate.
    /// </summary>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="isAcknowledged">Whether the peer works on one of them.</param>
    public static bool HasPending(CoapChannel channel, out bool isAcknowledged)
    {
        bool hasPending = false;
        isAcknowledged = false;
        foreach (CoapChannel one in channel.ProtectedOnes?.All.Prepend(channel) ?? [channel])
        {
            if (one.ExchangeState is { Pending: { Count: > 0 } pending })
            {
                hasPending = true;
                isAcknowledged |= pending.Values.Any(static request => request.IsAcknowledged);
            }
        }

        return hasPending;
    }

    // Tokens that stay: those of observations (RFC 7641). A token is never given twice, so that what comes late to a closed one meets
    // nobody else's request.
    /// <summary>The number of standing requests to a peer. Under Shard.Gate.</summary>
    public static int StandingOf(CoapChannel channel) => channel.ExchangeState?.Standing?.Count ?? 0;

    /// <summary>Gives a standing request its token and puts it into the table, so that a notification may overtake the answer.</summary>
    public void Open(StandingRequest request)
    {
        PeerExchanges peer = StateOf(request.Channel);
        request.Token = peer.NextToken(CoapToken.MaxLength);
        Open(peer, request);
    }

    /// <summary>Puts a standing request with a token of a process before into the table, if no other request to the peer has it.</summary>
    /// <param name="request">The request, with its token.</param>
    /// <returns>False when the token is taken.</returns>
    public bool TryAdopt(StandingRequest request)
    {
        PeerExchanges peer = StateOf(request.Channel);
        if (!peer.TryReserve(request.Token))
        {
            return false;
        }

        Open(peer, request);
        Held.OnAdopted(request);
        return true;
    }

    private static void Open(PeerExchanges peer, StandingRequest request)
    {
        (peer.Standing ??= []).Add(request.Token, request);
        request.IsOpen = true;
        ProtectedChannels.Begin(request.Channel, request.Token);
        request.Channel.Pins++;
    }

    /// <summary>Finds whose token a response carries.</summary>
    public static bool TryFind(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out StandingRequest? request)
    {
        request = null;
        return channel.ExchangeState is { Standing: { } standing } && standing.TryGetValue(token, out request);
    }

    /// <summary>The standing requests to a peer, as a list of its own.</summary>
    public static List<StandingRequest> StandingAt(CoapChannel channel) =>
        channel.ExchangeState is { Standing: { } standing } ? [.. standing.Values] : [];

    /// <summary>Takes a standing request out of the table. Does nothing when it was closed already.</summary>
    public static void Close(StandingRequest request)
    {
        if (request.IsOpen && request.Channel.ExchangeState is { Standing: { } standing } peer)
        {
            request.IsOpen = false;
            ProtectedChannels.End(request.Channel, request.Token);
            request.Channel.Pins--;
            standing.Remove(request.Token);
            if (standing.Count == 0)
            {
                peer.Standing = null;
            }
        }
    }

    private List<PendingRequest> TakeAll(IEnumerable<CoapChannel> channels, Func<PingRequest, bool> isTaken)
    {
        List<PendingRequest> all = [];
        foreach (CoapChannel channel in channels.SelectMany(static carrier => carrier.ProtectedOnes?.All.Prepend(carrier) ?? [carrier]))
        {
            if (channel.ExchangeState is { } peer)
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

    private PeerExchanges StateOf(CoapChannel channel) => channel.ExchangeState ??= channel.Carried is { } carried
        ? new PeerExchanges(StateOf(carried.Carrier))
        : new PeerExchanges(_shard.Environment.Random);

    /// <summary>Takes a request out because its message met its end: rejected, given up, unreachable, refused.</summary>
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
            ProtectedChannels.End(request.Channel, request.Message.Token);
        }

        request.IsPending = false;
        request.Channel.Pins--;
        _shard.Wheel.Cancel(request);
        if ((request.Channel.Carried?.Carrier ?? request.Channel).Messaging.Retirement is { } retirement)
        {
            // Somebody waits for it before the session goes on elsewhere.
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
            // What becomes of the message ends the request; looked after now and then, so that it ends too when that gets lost.
            _shard.Wheel.Schedule(request, now + WatchPeriodOf(request));
        }
        else
        {
            _shard.Wheel.Cancel(request);
        }
    }

    // Its turn may be hours away: PROBING_RATE (RFC 7252 section 4.7) holds it back from a peer that has long been silent, for as long as
    // all that went before it took.
    private static bool WaitsInVain(PendingRequest request, long now) =>
        request is { Time.IsSet: false, Deadline: long.MaxValue, Transmission: { Attempts: 0, IsQueued: true } }
        && now - request.Channel.LastSeen >= request.Channel.Parameters.ExchangeLifetime.Ticks;

    private static long WatchPeriodOf(PendingRequest request) => request.Channel.Parameters.MaxTransmitWait.Ticks;

    private static long After(long now, TimeSpan wait) =>
        wait == Timeout.InfiniteTimeSpan || wait.Ticks >= long.MaxValue - now ? long.MaxValue : now + wait.Ticks;
}
