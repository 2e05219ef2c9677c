using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

/// <content> Peers of sessions that moved (RFC 9146 section 6): until they have shown that they receive where they are, all that is sent
/// there, whatever it is and however often, stays within a multiple of what came from there. Counted are datagrams as they are on the wire.
/// </content>
internal sealed partial class AddressGuard
{
    /// <summary>The peer of a session is at an address at which it has not shown yet that it receives.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void OnMoved(CoapChannel channel, long now)
    {
        lock (_gate)
        {
            // First: who reads without the lock must find the new bound with it.
            channel.Moved = new MovedAddress(channel.MovedAt >= now ? channel.MovedAt + 1 : now);
            channel.IsVerified = false;
        }
    }

    /// <summary>The peer of a session answered what was sent to it after it had moved.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="movedAt">The time of that move.</param>
    public void OnAnswered(CoapChannel channel, long movedAt)
    {
        lock (_gate)
        {
            if (movedAt == channel.MovedAt)
            {
                Verify(channel, long.MaxValue);
            }
        }
    }

    /// <summary>An answer of at most this many bytes goes out to a peer without a further look.</summary>
    /// <param name="channel">The peer.</param>
    public int AlwaysFreeFor(CoapChannel channel) => Bounded(channel, AlwaysFree);

    /// <summary>A message came in a session from where its peer is now.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    public void OnReceivedWhereMoved(CoapChannel channel, int size)
    {
        lock (_gate)
        {
            if (channel is { Moved: { } moved, Connection: CoapSession session })
            {
                moved.Received += size + session.ReceivedOverhead;
            }
        }
    }

    /// <summary>
    /// Whether a message may leave in a session whose peer is not verified; if so it is counted. The last look: who asked before for less
    /// has most of what is too much held back or made smaller.
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="session">The session.</param>
    /// <param name="size">The size of the message in bytes.</param>
    public bool MayLeave(CoapChannel channel, CoapSession session, int size)
    {
        if (AlwaysFree == int.MaxValue || channel.Moved is not { } moved || IsTrusted(channel, long.MinValue))
        {
            return true;
        }

        size += session.SentOverhead;
        lock (_gate)
        {
            if (channel.IsVerified || moved.Sent + size <= BoundOf(moved))
            {
                moved.Sent += size;
                return true;
            }
        }

        _counters.Add(CoapCounter.AmplificationRefused);
        channel.NoteDrop(CoapCounter.AmplificationRefused);
        return false;
    }

    private int Bounded(CoapChannel channel, int free)
    {
        if (!channel.IsConnection || channel.IsVerified || free == int.MaxValue
            || channel is not { Moved: { } moved, Connection: CoapSession session })
        {
            return free;
        }

        lock (_gate)
        {
            return (int)Math.Clamp(BoundOf(moved) - moved.Sent - session.SentOverhead, 0, free);
        }
    }

    private long BoundOf(MovedAddress moved) => Math.Max(AlwaysFree, moved.Received * _limits.AmplificationFactor);
}
