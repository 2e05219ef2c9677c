using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

// RFC 7252 section 11.3 and RFC 9175 section 2.4: whoever sends from a forged address must not get our answers sent to somebody else in
// larger size than what he sent himself. Small answers are always free; more of them draw on what a source and what the endpoint may give
// away.

/// <summary>
/// Says how much may be sent to addresses that nobody verified, and how they are verified. One for all shards of an endpoint. Thread-safe.
/// </summary>
internal sealed partial class AddressGuard
{
    // An acknowledgement that quotes a Message ID that the peer can hardly guess says that it receives; not as much as an Echo does.
    private const int CreditOfAcknowledgement = 4096;
    private const int MaxCredit = 16 * 1024;
    private const double LeftByNewcomers = 0.25;

    private readonly Lock _gate = new();
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly CoapSourceRule _rule;
    private readonly SourceBudgets _sources;
    private readonly SourceCounts _verified;
    private readonly SourceCounts _observers;
    private readonly RateBound _whole;
    private long _wholeUntil = long.MinValue;

    public AddressGuard(CoapEnvironment environment)
    {
        _limits = environment.Limits;
        _counters = environment.Counters;
        _rule = environment.Sources;
        _sources = new SourceBudgets(environment.Random, _limits.AmplificationBytesPerMinute, _limits.AmplificationBytesPerSecond);
        _verified = new SourceCounts(_limits.MaxVerifiedPeersPerSource, _limits.MaxChannels);
        _observers = new SourceCounts(_limits.MaxUnverifiedObserversPerSource, int.MaxValue);
        _whole = new RateBound(_limits.AmplificationBytesPerSecond, TimeSpan.FromSeconds(1));
        AlwaysFree = _limits.LimitAmplification ? _limits.AmplificationFreeBytes : int.MaxValue;
        Echo = EchoMint.Create(environment);
    }

    /// <summary>Makes and checks the values of Echo options.</summary>
    public EchoMint Echo { get; }

    /// <summary>An answer of at most this many bytes goes out without a further look.</summary>
    public int AlwaysFree { get; }

    /// <summary>The memory that sources take, in bytes; it does not depend on their number.</summary>
    public int Bytes => _sources.Bytes;

    /// <summary>The size up to which the answer to a request is free.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="requestLength">The size of the request's datagram in bytes.</param>
    public int FreeFor(CoapChannel channel, int requestLength) =>
        Bounded(channel, Math.Max(AlwaysFree, requestLength * _limits.AmplificationFactor));

    /// <summary>Whether a peer may be sent any amount: its address was verified, or is not in question.</summary>
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
            if (now < channel.VerifiedUntil)
            {
                return true;
            }

            lock (_gate)
            {
                // Another thread may have verified it anew meanwhile.
                if (now < channel.VerifiedUntil)
                {
                    return true;
                }

                channel.IsVerified = false;
                ReleaseShare(channel);
            }
        }

        return _rule.IsTrusted(channel.Remote);
    }

    /// <summary>The peer has shown that it receives at its address.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="until">Until when that counts, in units of 100 ns.</param>
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
            if (channel.IsConnection)
            {
                // Who has keys is no address among others, and is verified until it moves.
                until = long.MaxValue;
            }

            if (!channel.IsVerified)
            {
                _counters.Add(CoapCounter.AddressesVerified);
                channel.VerifiedUntil = until;
            }
            else if (channel.VerifiedUntil < until)
            {
                channel.VerifiedUntil = until;
            }

            if (!channel.IsCountedVerified && !channel.IsConnection)
            {
                channel.IsCountedVerified = _verified.TryAdd(_rule.Of(channel.Remote));
                channel.IsBeyondShare = !channel.IsCountedVerified;
            }

            // Last: who reads without the lock must find the time with it.
            channel.IsVerified = true;
        }
    }

    /// <summary>A channel went out of its table.</summary>
    /// <param name="channel">The channel.</param>
    public void OnForgotten(CoapChannel channel)
    {
        if (channel.IsVerified)
        {
            lock (_gate)
            {
                ReleaseShare(channel);
                channel.IsBeyondShare = true;
            }
        }
    }

    /// <summary>Whether one more observer may be noted; undone by <see cref="OnObserverRemoved"/> if it was counted.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="isCounted">Whether it counts among those that were never verified.</param>
    public bool TryAddObserver(CoapChannel channel, long now, out bool isCounted)
    {
        isCounted = false;

        // Whoever moved in a session registers with its keys, so there are not more such observers than sessions.
        if (channel.IsConnection || IsTrusted(channel, now))
        {
            return true;
        }

        lock (_gate)
        {
            isCounted = _observers.TryAdd(_rule.Of(channel.Remote));
            return isCounted;
        }
    }

    /// <summary>An observer that was counted is gone.</summary>
    /// <param name="channel">The peer.</param>
    public void OnObserverRemoved(CoapChannel channel)
    {
        lock (_gate)
        {
            _observers.Remove(_rule.Of(channel.Remote));
        }
    }

    /// <summary>Whether an answer may go out; what is not free is drawn.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">The size of the answer in bytes.</param>
    /// <param name="requestLength">The size of the request's datagram in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool MayAnswer(CoapChannel channel, int size, int requestLength, long now) =>
        size <= FreeFor(channel, requestLength) || MaySend(channel, size, now);

    /// <summary>
    /// Whether a datagram may go out that no datagram of the peer paid for: a copy of an answer, a notification. Nothing of it is free.
    /// Call it for each datagram.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>Whether it may; if so it was drawn, if not it was counted.</returns>
    public bool MaySend(CoapChannel channel, int size, long now)
    {
        channel = channel.Wire;
        if (IsTrusted(channel, now))
        {
            return true;
        }

        // Of whom moved in a session only the present address is in question, and that is asked about at once: nothing has to be drawn in
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
    /// Whether a message goes out that nobody but ourselves asked for. Only who moved in a session, and has not shown yet that it receives
    /// there, has to wait for what is large.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool MayRequest(CoapChannel channel, int size, long now) =>
        channel.IsVerified || !channel.IsConnection || size <= AlwaysFreeFor(channel) || MaySend(channel, size, now);

    /// <summary>An acknowledgement of the peer matched a message of ours.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="sentAt">When the message was sent first, in units of 100 ns.</param>
    public void OnAcknowledged(CoapChannel channel, long sentAt)
    {
        if (channel.IsConnection)
        {
            // Nobody else can acknowledge in a session. What was sent at the moment of the move went elsewhere, maybe.
            if (!channel.IsVerified)
            {
                lock (_gate)
                {
                    if (sentAt > channel.MovedAt)
                    {
                        Verify(channel, long.MaxValue);
                    }
                }
            }

            return;
        }

        // Read without the lock: nearly always there is nothing to do.
        if (!channel.IsVerified && channel.AmplificationCredit < MaxCredit)
        {
            lock (_gate)
            {
                channel.AmplificationCredit = Math.Min(channel.AmplificationCredit + CreditOfAcknowledgement, MaxCredit);
            }
        }
    }

    /// <summary>
    /// An acknowledgement or reset of the peer matched nothing: somebody guesses, or the peer knows nothing of what we send.
    /// </summary>
    /// <param name="channel">The peer.</param>
    public void OnUnmatched(CoapChannel channel)
    {
        if (channel.AmplificationCredit > 0)
        {
            lock (_gate)
            {
                channel.AmplificationCredit = 0;
            }
        }
    }

    private void ReleaseShare(CoapChannel channel)
    {
        if (channel.IsCountedVerified)
        {
            channel.IsCountedVerified = false;
            _verified.Remove(_rule.Of(channel.Remote));
        }
    }

    private bool TryDraw(CoapChannel channel, int size, long now)
    {
        lock (_gate)
        {
            // Who acknowledged what can hardly be guessed is probably no victim: what others ask for in the name of victims does not take
            // it away.
            if (channel.AmplificationCredit >= size)
            {
                channel.AmplificationCredit -= size;
                return true;
            }

            // Addresses that were heard only once can be forged by the million; they leave some to those that came back.
            if (!_whole.TryDraw(_wholeUntil, size, now, out long next, channel.IsNewcomer ? LeftByNewcomers : 0)
                || !_sources.TryDraw(_rule.Of(channel.Remote), size, now))
            {
                return false;
            }

            _wholeUntil = next;
            return true;
        }
    }
}
