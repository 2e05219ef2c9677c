using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

/// <content>
/// Peers of moved sessions (RFC 9146 section 6): until a peer has shown that it receives at its new address, all bytes sent there stay
/// within a multiple of those received from there. The sizes are those of datagrams on the wire.
/// </content>
internal sealed partial class AddressGuard
{
    /// <summary>Handles the move of a session to an unverified address.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void OnMoved(CoapChannel channel, long now)
    {
        lock (_gate)
        {
            // First: readers without the lock must find the new limit with it.
            channel.Moved = new MovedAddress(channel.MovedAt >= now ? channel.MovedAt + 1 : now);
            channel.IsVerified = false;
        }
    }

    /// <summary>Handles an answer of the peer to a message that was sent after the move.</summary>
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

    /// <summary>Returns the size of an answer that may be sent to a peer without further checks.</summary>
    /// <param name="channel">The peer.</param>
    public int AlwaysFreeFor(CoapChannel channel) => Bounded(channel, AlwaysFree);

    /// <summary>Counts a message from the current address of a session.</summary>
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
    /// Whether a message may leave in a session with an unverified peer; counts it if so. This is the final check: earlier checks hold back
    /// or shrink most excessive messages.
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
