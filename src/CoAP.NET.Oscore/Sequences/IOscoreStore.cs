namespace CoAP.NET.Oscore;

/// <summary>
/// Keeps the state that must outlive a process, so that no sequence number of a security context occurs twice (RFC 8613 sections 7.2.1 and
/// 7.5, appendix B.1).
/// </summary>
/// <remarks>
/// <para>A number that repeats under one key reveals the content of both messages; a store must therefore fail rather than guess. Use
/// <see cref="FileOscoreStore"/> on one machine; implement this interface to keep the state in a database.</para>
/// <para>Contexts reserve numbers ahead: before a context uses a number, <see cref="ReserveAsync"/> has completed with a bound above it.
/// After a restart the context continues at the bound, because it may have used all numbers below. A bound never decreases.</para>
/// <para>Each call of <see cref="OpenAsync"/> begins a new epoch and ends the one before: the store refuses <see cref="ReserveAsync"/> and
/// <see cref="CloseAsync"/> of an older epoch with <see cref="OscoreStoreFault.Superseded"/>. The superseded owner still uses its reserved
/// numbers, and the new owner begins above them, so both never use the same number, independent of clocks. In SQL this is <c>update ... set
/// bound = @bound where key = @key and epoch = @epoch and bound &lt;= @bound</c>; if it updates no row, refuse.</para>
/// <para>A task of these methods completes when the change is durable: it survives a crash of the process and of the machine. A failed call
/// may have taken effect or not; callers assume neither. Several threads may call the methods at a time. Calls for one key are sequential,
/// unless a key is opened twice or a call took too long. Callers hold no lock.</para>
/// <para>No store can protect against a copy: a cloned virtual machine or a restored backup repeats numbers. Give such machines new keys
/// (EDHOC), or contexts that derive new keys at each start.</para>
/// </remarks>
public interface IOscoreStore
{
    /// <summary>Begins an epoch of a context and returns the state of the last one.</summary>
    /// <param name="key">The context.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The state.</returns>
    /// <exception cref="OscoreStoreException">
    /// The store cannot read or record the state. The caller never treats this as a new state.
    /// </exception>
    /// <remarks>
    /// Before the task completes, the store durably removes the received numbers, so that a crash leaves no outdated window. The first
    /// time, it durably records that the context was opened.
    /// </remarks>
    ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken);

    /// <summary>Durably guarantees that a later opening of the context begins at a number not below a bound.</summary>
    /// <param name="key">The context.</param>
    /// <param name="epoch">The epoch from <see cref="OpenAsync"/>.</param>
    /// <param name="bound">
    /// The lowest number that stays unused, at most 2^40. Not below that of an earlier call; an equal one changes nothing.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes when the guarantee is durable.</returns>
    /// <exception cref="OscoreStoreException">The store failed to record it, or the epoch is over.</exception>
    ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken);

    /// <summary>Records the received numbers of the peer at a clean end. Nothing of this epoch follows.</summary>
    /// <param name="key">The context.</param>
    /// <param name="epoch">The epoch from <see cref="OpenAsync"/>.</param>
    /// <param name="received">The received numbers.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes when they are durable.</returns>
    /// <exception cref="OscoreStoreException">The store failed to record them, or the epoch is over.</exception>
    /// <remarks>
    /// The next <see cref="OpenAsync"/> returns them and saves the round trip that would determine them (RFC 8613 appendix B.1.2).
    /// </remarks>
    ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken);
}
