namespace CoAP.NET.Oscore;

/// <summary>
/// Keeps what must outlive a process so that no sequence number of a security context is ever used twice (RFC 8613 sections 7.2.1 and 7.5,
/// appendix B.1). A number that repeats under one key reveals what both messages say; a store must therefore rather fail than guess.
/// <see cref="FileOscoreStore"/> is the one to use on one machine; implement this interface to keep the state in a database.
/// </summary>
/// <remarks>
/// <para>
/// Numbers are reserved ahead: before a number is used, <see cref="ReserveAsync"/> has completed with a bound above it. After a restart a
/// context goes on at the bound, as all numbers below may have been used. A bound is never lowered.
/// </para>
/// <para>
/// Each call of <see cref="OpenAsync"/> begins a new epoch and ends the one before: <see cref="ReserveAsync"/> and
/// <see cref="CloseAsync"/> of an older epoch are refused with <see cref="OscoreStoreFault.Superseded"/>. Whoever was superseded still uses
/// what was reserved for it, the new owner begins above that, so both never use the same number, whatever clocks say. In SQL this is
/// <c>update ... set bound = @bound where key = @key and epoch = @epoch and bound &lt;= @bound</c>, and no row is the refusal.
/// </para>
/// <para>
/// A task that these methods return completes when the change is durable: it survives a crash of the process and of the machine. A failed
/// call may have taken effect or not; callers assume neither. Methods may be called by several threads at a time, for one key only one
/// after the other, unless a key is opened twice or a call took too long. Nothing is called while a lock is held.
/// </para>
/// <para>
/// No store can protect against a copy: a cloned virtual machine or a backup that is restored repeats numbers. Give such machines new keys
/// (EDHOC), or contexts that are derived anew at each start.
/// </para>
/// </remarks>
public interface IOscoreStore
{
    /// <summary>
    /// Begins an epoch of a context: gives what the last one left, and forgets the received numbers of it durably before the task
    /// completes, so that a crash finds no window that is out of date. The first time, it durably notes that the context was opened.
    /// </summary>
    /// <param name="key">The context.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The state.</returns>
    /// <exception cref="OscoreStoreException">The state cannot be read or noted. It is never taken for a new one.</exception>
    ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken);

    /// <summary>Promises durably that whoever opens the context later begins at a number not below a bound.</summary>
    /// <param name="key">The context.</param>
    /// <param name="epoch">The epoch that <see cref="OpenAsync"/> gave.</param>
    /// <param name="bound">The lowest number that stays unused, at most 2^40. Not below that of a call before; an equal one changes
    /// nothing.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that completes when the promise is durable.</returns>
    /// <exception cref="OscoreStoreException">It could not be noted, or the epoch is over.</exception>
    ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken);

    /// <summary>
    /// Notes at an orderly end which numbers of the peer came, so that the next <see cref="OpenAsync"/> gives them and no round trip is
    /// needed to find out (RFC 8613 appendix B.1.2). Nothing of this epoch follows.
    /// </summary>
    /// <param name="key">The context.</param>
    /// <param name="epoch">The epoch that <see cref="OpenAsync"/> gave.</param>
    /// <param name="received">The numbers that came.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that completes when they are noted.</returns>
    /// <exception cref="OscoreStoreException">They could not be noted, or the epoch is over.</exception>
    ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken);
}
