namespace CoAP.NET.Oscore;

/// <summary>The result of <see cref="IOscoreStore.OpenAsync"/> for a context.</summary>
/// <param name="Epoch">The new epoch: larger than all before of the context.</param>
/// <param name="Next">The lowest sequence number that was never reserved, 0 to 2^40.</param>
/// <param name="IsNew">Whether this is the first opening of the context, so that no message of the peer can have arrived.</param>
/// <param name="Received">
/// The received numbers of the peer, as <see cref="IOscoreStore.CloseAsync"/> recorded them in the previous epoch; null if that ended
/// without it, or if the context is new.
/// </param>
public sealed record OscoreStoredState(ulong Epoch, ulong Next, bool IsNew, OscoreReceivedNumbers? Received);
