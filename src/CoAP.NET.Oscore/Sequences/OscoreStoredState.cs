namespace CoAP.NET.Oscore;

/// <summary>The result of <see cref="IOscoreStore.OpenAsync"/> for a context.</summary>
/// <param name="epoch">The new epoch: larger than all before of the context.</param>
/// <param name="next">The lowest sequence number that was never reserved, 0 to 2^40.</param>
/// <param name="isNew">Whether this is the first opening of the context, so that no message of the peer can have arrived.</param>
/// <param name="received">
/// The received numbers of the peer, as <see cref="IOscoreStore.CloseAsync"/> recorded them in the previous epoch; null if that ended
/// without it, or if the context is new.
/// </param>
public sealed class OscoreStoredState(ulong epoch, ulong next, bool isNew, OscoreReceivedNumbers? received)
{
    /// <summary>The new epoch: larger than all before of the context.</summary>
    public ulong Epoch { get; } = epoch;

    /// <summary>The lowest sequence number that was never reserved, 0 to 2^40.</summary>
    public ulong Next { get; } = next;

    /// <summary>Whether this is the first opening of the context, so that no message of the peer can have arrived.</summary>
    public bool IsNew { get; } = isNew;

    /// <summary>The received numbers of the peer in the previous epoch; null if it ended without them, or if the context is new.</summary>
    public OscoreReceivedNumbers? Received { get; } = received;
}
