namespace CoAP.NET.Dtls;

/// <summary>Keeps the sessions of a server outside of its process, such as in a database.</summary>
/// <remarks>
/// The server hands over changes in batches, one batch at a time, already encrypted. Set by
/// <see cref="CoapDtlsServerOptions.SessionBackup"/>. Reusing a record number with the keys of a session destroys its secrecy. So each
/// state contains the highest number that the server may use, and a server that loads it continues after that number. A server uses no
/// number that the backup has not confirmed. The task of <see cref="SaveAsync"/> may therefore succeed only when the changes survive a
/// crash of the process, and of the machine if sessions have to survive that. If two processes load the same session, the backup has to
/// refuse one (<see cref="CoapDtlsSessionChange.Refuse"/>). With several servers on one store, it has to know the owner of each session
/// (<see cref="CoapDtlsSessionChange.Stamp"/>). An attacker who can put an old state back into the store can cause reuse of numbers.
/// </remarks>
internal interface ICoapDtlsSessionBackup
{
    /// <summary>Loads the kept sessions when the server starts, before its first datagram.</summary>
    /// <param name="loader">Takes sessions.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when the loader has received all sessions.</returns>
    /// <remarks>
    /// The backup may also use the loader later, for example to take over the sessions of another server. The server starts even if this
    /// method fails; clients then open new sessions in place of those that the backup never loads.
    /// </remarks>
    ValueTask StartAsync(CoapDtlsSessionLoader loader, CancellationToken cancellationToken);

    /// <summary>Stores changes, in the order of the list.</summary>
    /// <param name="changes">
    /// Up to 1,000 changes. The list is valid until the task ends; the backup may hold the memory of the states longer.
    /// </param>
    /// <param name="cancellationToken">Cancelled when the server has to stop without further waiting.</param>
    /// <returns>A task that ends when the changes are durable.</returns>
    /// <remarks>
    /// After a failure, nothing of the batch counts as confirmed, and the server calls it again after a while with the newest states.
    /// </remarks>
    ValueTask SaveAsync(IReadOnlyList<CoapDtlsSessionChange> changes, CancellationToken cancellationToken);

    /// <summary>Closes the backup when the server has stopped and handed over its last change.</summary>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when the server may end.</returns>
    ValueTask StopAsync(CancellationToken cancellationToken);
}
