namespace CoAP.NET.Oscore;

/// <summary>What an <see cref="IOscoreStore"/> gives of a context that is opened.</summary>
/// <param name="Epoch">The epoch that this begins: larger than all before of the context.</param>
/// <param name="Next">The lowest sequence number that was never reserved, 0 to 2^40.</param>
/// <param name="IsNew">Whether the context was never opened before, so that nothing can have come from the peer.</param>
/// <param name="Received">The numbers of the peer that came, as <see cref="IOscoreStore.CloseAsync"/> noted them in the epoch before; null
/// when that ended without it, or when the context is new.</param>
public sealed record OscoreStoredState(ulong Epoch, ulong Next, bool IsNew, OscoreReceivedNumbers? Received);
