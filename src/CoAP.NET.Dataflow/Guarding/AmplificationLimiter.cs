using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

// RFC 7252 section 11.3 and RFC 9175 section 2.4: a sender with a forged address must not direct answers to a victim that are larger than
// its own requests. Small answers are always free; larger ones draw on the budgets of the source and of the endpoint.

/// <summary>
/// Limits the bytes to unverified addresses, and tracks their verification. One for all shards of an endpoint. Thread-safe.
/// </summary>
internal sealed class AmplificationLimiter
{
    // An acknowledgement with a hard-to-guess Message ID shows that the peer receives, though less strongly than an Echo.
    private const int CreditOfAcknowledgement = 4096;
    private const int MaxCredit = 16 * 1024;
    private const double LeftByNewcomers = 0.25;

    private readonly Lock _gate = new();
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly CoapSourceGroupingRule _rule;
    private readonly SourceRateLimiter _sources;
    private readonly SourceLedger<CoapQuotaSource> _verified;
    private readonly SourceLedger<CoapQuotaSource> _observers;
    private readonly RateLimit _whole;
    private long _wholeUntil = long.MinValue;

    public AmplificationLimiter(CoapEnvironment environment)
    {
        _limits = environment.Limits;
        _counters = environment.Counters;
        _rule = environment.Sources;
        long perMinute = _limits.Amplification.SourceBytesPerMinute;
        _sources = new SourceRateLimiter(
            environment.Random,
            RateLimit.Within(perMinute, TimeSpan.FromMinutes(1)),
            perMinute == 0 ? 0 : 60.0 * _limits.Amplification.TotalBytesPerSecond / perMinute);
        _verified = new SourceLedger<CoapQuotaSource>(maxOfSource: _limits.Peers.MaxVerifiedPerSource);
        _observers = new SourceLedger<CoapQuotaSource>(maxOfSource: _limits.Observe.MaxUnverifiedObserversPerSource);
        _whole = RateLimit.Within(_limits.Amplification.TotalBytesPerSecond, TimeSpan.FromSeconds(1));
        AlwaysFree = _limits.Amplification.IsLimited ? CoapAmplificationLimits.FreeSize : int.MaxValue;
        Echo = EchoIssuer.Create(environment);
    }

    public EchoIssuer Echo { get; }

    /// <summary>The size of an answer that is sent without further checks.</summary>
    public int AlwaysFree { get; }

    /// <summary>The memory for sources in bytes; independent of their number.</summary>
    public int Bytes => _sources.Bytes;

    /// <summary>Returns the size up to which the answer to a request is free.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="requestLength">The size of the request's datagram in bytes.</param>
    public int FreeFor(CoapChannel channel, int requestLength) =>
        Bounded(channel, Math.Max(AlwaysFree, requestLength * CoapAmplificationLimits.Factor));

    /// <summary>Whether a peer may get any amount: its address was verified, or needs no verification.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool IsTrusted(CoapChannel channel, long now)
    {
        if (channel.Transport.IsReliable || AlwaysFree == int.MaxValue)
        {
            return true;
        }

        channel = channel.Wire;
        if (channel.IsVerified)
        {
            if (PeerVerification.Holds(channel, now))
            {
                return true;
            }

            lock (_gate)
            {
                // Another thread may have verified it again meanwhile.
                if (PeerVerification.Holds(channel, now))
                {
                    return true;
                }

                channel.IsVerified = false;
                ReleaseShare(channel);
            }
        }

        return _rule.IsTrusted(channel.Remote);
    }

    /// <summary>Marks the address of a peer as verified.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="until">The expiry, in units of 100 ns.</param>
    public void Verify(CoapChannel channel, long until)
    {
        if (channel.Carried is { } carried)
        {
            Verify(carried.Carrier, until);
            channel.IsVerified = true;
            return;
        }

        lock (_gate)
        {
            if (!channel.IsVerified)
            {
                _counters.Add(CoapCounter.AddressesVerified);
            }

            // A peer with keys is not one address among others; it is verified until it moves.
            if (!channel.IsConnection)
            {
                PeerVerification proven = PeerVerification.GetOrAdd(channel);
                if (!channel.IsVerified || proven.Until < until)
                {
                    proven.Until = until;
                }

                if (!proven.IsCounted)
                {
                    proven.IsCounted = _verified.Total < _limits.Peers.MaxCount && _verified.TryTake(_rule.Of(channel.Remote));
                    channel.ExceedsSourceQuota = !proven.IsCounted;
                }
            }

            // Last: readers without the lock must find the time with it.
            channel.IsVerified = true;
        }
    }

    public void OnForgotten(CoapChannel channel)
    {
        if (channel.IsVerified)
        {
            lock (_gate)
            {
                ReleaseShare(channel);
                channel.ExceedsSourceQuota = true;
            }
        }
    }

    /// <summary>Whether one more observer may register. <see cref="OnObserverRemoved"/> reverts the count.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="isCounted">Whether it counts among the unverified ones.</param>
    public bool TryAddObserver(CoapChannel channel, long now, out bool isCounted)
    {
        isCounted = false;

        // A peer that moved registers with the keys of its session, so there are no more such observers than sessions.
        if (channel.IsConnection || IsTrusted(channel, now))
        {
            return true;
        }

        lock (_gate)
        {
            isCounted = _observers.TryTake(_rule.Of(channel.Remote));
            return isCounted;
        }
    }

    public void OnObserverRemoved(CoapChannel channel)
    {
        lock (_gate)
        {
            _observers.Return(_rule.Of(channel.Remote));
        }
    }

    /// <summary>Whether an answer may be sent. Draws the bytes that are not free.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">The size of the answer in bytes.</param>
    /// <param name="requestLength">The size of the request's datagram in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool MayAnswer(CoapChannel channel, int size, int requestLength, long now) =>
        size <= FreeFor(channel, requestLength) || MaySend(channel, size, now);

    /// <summary>
    /// Whether a datagram may be sent that no datagram of the peer paid for: a copy of an answer, or a notification. All of it draws on the
    /// budgets. Call it for each datagram.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>Whether it may be sent. The bytes were drawn, or the refusal was counted.</returns>
    public bool MaySend(CoapChannel channel, int size, long now)
    {
        channel = channel.Wire;
        if (IsTrusted(channel, now))
        {
            return true;
        }

        // Only the current address of a moved session is unverified, and the endpoint verifies it at once. Nothing must be drawn in
        // advance.
        bool drawn = !channel.IsConnection && TryDraw(channel, size, now);
        _counters.Add(drawn ? CoapCounter.AmplificationDraws : CoapCounter.AmplificationRefused);
        if (!drawn)
        {
            channel.NoteDrop(CoapCounter.AmplificationRefused);
        }

        return drawn;
    }

    /// <summary>
    /// Whether a message of this endpoint's own may be sent. Only large messages to a moved and not yet verified session must wait.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool MayRequest(CoapChannel channel, int size, long now) =>
        channel.IsVerified || !channel.IsConnection || size <= AlwaysFreeFor(channel) || MaySend(channel, size, now);

    /// <summary>Handles an acknowledgement that matched a sent message.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="sentAt">The time of the first transmission, in units of 100 ns.</param>
    public void OnAcknowledged(CoapChannel channel, long sentAt)
    {
        if (channel.IsConnection)
        {
            // Only the peer can acknowledge in a session. A message sent at the moment of the move may have gone to the old address, and so
            // do all messages while the session keeps that address: then only the check of the new one counts.
            if (!channel.IsVerified && channel.Connection is not CoapSession { HasFormerAddress: true })
            {
                lock (_gate)
                {
                    if (sentAt > SessionMove.TimeOf(channel))
                    {
                        Verify(channel, long.MaxValue);
                    }
                }
            }

            return;
        }

        // Read without the lock: nearly always there is nothing to do.
        if (!channel.IsVerified && PeerVerification.Of(channel) is not { Credit: >= MaxCredit })
        {
            lock (_gate)
            {
                PeerVerification proven = PeerVerification.GetOrAdd(channel);
                proven.Credit = Math.Min(proven.Credit + CreditOfAcknowledgement, MaxCredit);
            }
        }
    }

    /// <summary>Handles an acknowledgement or reset that matched nothing: an attacker guesses, or the peer has lost its state.</summary>
    public void OnUnmatched(CoapChannel channel)
    {
        if (PeerVerification.Of(channel) is { Credit: > 0 } proven)
        {
            lock (_gate)
            {
                proven.Credit = 0;
            }
        }
    }

    private void ReleaseShare(CoapChannel channel)
    {
        if (PeerVerification.Of(channel) is { IsCounted: true } proven)
        {
            proven.IsCounted = false;
            _verified.Return(_rule.Of(channel.Remote));
        }
    }

    private bool TryDraw(CoapChannel channel, int size, long now)
    {
        lock (_gate)
        {
            // A peer that acknowledged a hard-to-guess Message ID is probably not a victim. Requests of attackers in the name of victims do
            // not take away its credit.
            if (PeerVerification.Of(channel) is { } proven && proven.Credit >= size)
            {
                proven.Credit -= size;
                return true;
            }

            // Attackers can forge millions of addresses that appear only once, so these leave a part to returning ones.
            if (!_whole.TryDraw(_wholeUntil, size, now, out long next, channel.IsNewcomer ? LeftByNewcomers : 0)
                || !_sources.TryDraw(_rule.Of(channel.Remote), size, now))
            {
                return false;
            }

            _wholeUntil = next;
            return true;
        }
    }

    /// <summary>Handles the move of a session to an unverified address.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void OnMoved(CoapChannel channel, long now)
    {
        lock (_gate)
        {
            // First: readers without the lock must find the new limit with it.
            SessionMove move = channel.GetOrAddFeatureState<SessionMove>(PeerFeatureKind.Guarding);
            move.At = move.At >= now ? move.At + 1 : now;
            (move.Received, move.Sent) = (0, 0);
            channel.IsVerified = false;
        }
    }

    /// <summary>Handles an answer of the peer to a message that was sent after the move.</summary>
    public void OnAnswered(CoapChannel channel, long movedAt)
    {
        lock (_gate)
        {
            if (movedAt == SessionMove.TimeOf(channel))
            {
                Verify(channel, long.MaxValue);
            }
        }
    }

    /// <summary>Handles the return of a session to its former address, which was verified before the move.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="movedAt">When it had moved.</param>
    public void OnReturned(CoapChannel channel, long movedAt)
    {
        lock (_gate)
        {
            if (movedAt == SessionMove.TimeOf(channel))
            {
                channel.IsVerified = true;
            }
        }
    }

    /// <summary>Returns the size of an answer that may be sent to a peer without further checks.</summary>
    public int AlwaysFreeFor(CoapChannel channel) => Bounded(channel, AlwaysFree);

    /// <summary>Counts a message from the current address of a session.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    public void OnReceivedWhereMoved(CoapChannel channel, int size)
    {
        lock (_gate)
        {
            if (SessionMove.Of(channel) is { } move && channel.Connection is CoapSession session)
            {
                move.Received += size + session.ReceivedOverhead;
            }
        }
    }

    /// <summary>
    /// Whether a message may leave in a session with an unverified peer; counts it if so. This is the final check: earlier checks hold back
    /// or shrink most excessive messages.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="session">The session.</param>
    /// <param name="size">The size of the message in bytes.</param>
    public bool MayLeave(CoapChannel channel, CoapSession session, int size)
    {
        if (AlwaysFree == int.MaxValue || SessionMove.Of(channel) is not { } move || IsTrusted(channel, long.MinValue))
        {
            return true;
        }

        size += session.SentOverhead;
        lock (_gate)
        {
            if (channel.IsVerified || move.Sent + size <= BoundOf(move))
            {
                move.Sent += size;
                return true;
            }
        }

        _counters.Add(CoapCounter.AmplificationRefused);
        channel.NoteDrop(CoapCounter.AmplificationRefused);
        return false;
    }

    private int Bounded(CoapChannel channel, int free)
    {
        if (!channel.IsConnection || channel.IsVerified || free == int.MaxValue || SessionMove.Of(channel) is not { } move
            || channel.Connection is not CoapSession session)
        {
            return free;
        }

        lock (_gate)
        {
            return (int)Math.Clamp(BoundOf(move) - move.Sent - session.SentOverhead, 0, free);
        }
    }

    private long BoundOf(SessionMove move) => Math.Max(AlwaysFree, move.Received * CoapAmplificationLimits.Factor);
}
