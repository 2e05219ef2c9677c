using System.Runtime.CompilerServices;

namespace CoAP.NET.Peers;

/// <summary>
/// Tells who waits for it that something of a peer came. Nobody waits for most peers: then it is a comparison for each datagram, without a
/// lock.
/// </summary>
internal static class PeerHearing
{
    /// <summary>Something of the peer came, or it was met.</summary>
    /// <param name="extras">What the channel has beside the common.</param>
    /// <param name="seen">When; it is stored already.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Tell(ChannelExtras? extras, long seen)
    {
        _ = seen;
        if (extras?.Hints is { Hearing: not null } hints)
        {
            End(hints);
        }
    }

    /// <summary>The peer is forgotten, or was found again; nothing of it will come by this channel.</summary>
    /// <param name="extras">What the channel has beside the common.</param>
    /// <param name="isForgotten">Where that is stored.</param>
    /// <param name="value">What is stored.</param>
    public static void Forget(ChannelExtras? extras, ref bool isForgotten, bool value)
    {
        Volatile.Write(ref isForgotten, value);
        if (extras?.Hints is { } hints)
        {
            End(hints);
        }
    }

    /// <summary>Ends when something comes next, or the peer is forgotten.</summary>
    /// <param name="hints">Those of the channel.</param>
    /// <param name="channel">The channel.</param>
    public static Task Next(ChannelHints hints, CoapChannel channel)
    {
        TaskCompletionSource made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiting = Interlocked.CompareExchange(ref hints.Hearing, made, null) ?? made;
        if (channel.IsForgotten)
        {
            // Whoever forgot it may have looked before.
            End(hints);
        }

        return waiting.Task;
    }

    // Locks may be held: whoever waits goes on on another thread.
    private static void End(ChannelHints hints) => Interlocked.Exchange(ref hints.Hearing, null)?.TrySetResult();
}
