using System.Runtime.CompilerServices;

namespace CoAP.NET.Peers;

/// <summary>
/// Notifies waiters of messages from a peer. Most peers have no waiter, which costs one comparison per datagram and no lock.
/// </summary>
internal static class PeerActivityNotifier
{
    /// <summary>Reports a message of the peer, or its first contact.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Report(ref long lastSeen, long value, ref RarePeerState? extras)
    {
        lastSeen = value;

        // No fence in between: the waiter pays for one (Next).
        if (Volatile.Read(ref extras)?.LearnedFacts is { Hearing: not null } hints)
        {
            End(hints);
        }
    }

    /// <summary>Reports that the peer is forgotten, or was found again; its messages no longer use this channel.</summary>
    public static void Forget(ref bool isForgotten, bool value, ref RarePeerState? extras)
    {
        Volatile.Write(ref isForgotten, value);
        if (Volatile.Read(ref extras)?.LearnedFacts is { } hints)
        {
            End(hints);
        }
    }

    /// <summary>Completes with the next message, or when the peer is forgotten.</summary>
    public static Task Next(LearnedPeerFacts hints, CoapChannel channel)
    {
        TaskCompletionSource made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiting = Interlocked.CompareExchange(ref hints.Hearing, made, null) ?? made;

        // From here on, a thread that stores a message's time or forgets the peer sees the waiter, or the caller sees what it stored. A
        // processor may read ahead of its own writes, and fences in Tell and Forget would cost every datagram.
        Interlocked.MemoryBarrierProcessWide();
        if (channel.IsForgotten)
        {
            // A thread that forgot the peer may have checked before.
            End(hints);
        }

        return waiting.Task;
    }

    // Locks may be held: the waiter continues on another thread.
    private static void End(LearnedPeerFacts hints) => Interlocked.Exchange(ref hints.Hearing, null)?.TrySetResult();
}
