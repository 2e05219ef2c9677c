namespace CoAP.NET.Dtls;

/// <summary>
/// Keeps the sessions of a server where they outlive its process, such as in a database. The server hands over what has changed, in
/// batches, and one batch at a time; what it hands over is encrypted already. Set by
/// <see cref="CoapDtlsServerOptions.SessionKeeping"/>.
/// </summary>
/// <remarks>
/// No number of a record may be used twice with the keys of a session, or its secrecy is lost. So what is kept says how far the server may
/// count, and who loads it begins there. A server counts no further than was confirmed: the task of <see cref="KeepAsync"/> may only
/// succeed when a crash of the process, and of the machine where that is to be survived, no longer undoes the changes. Of two processes
/// that load the same session one has to be refused (<see cref="CoapDtlsSessionChange.Refuse"/>): where several servers share a store, the
/// keeper has to know whose a session is (<see cref="CoapDtlsSessionChange.Stamp"/>). Whoever can put an old state back into the store can
/// have numbers used twice.
/// </remarks>
public interface ICoapDtlsSessionKeeper
{
    /// <summary>
    /// Called when the server starts, before its first datagram: loads what was kept. The loader may be used later too, as when the
    /// sessions of another server are taken over. The server starts also when this fails; clients then make new sessions in place of those
    /// that are not loaded later.
    /// </summary>
    /// <param name="loader">Takes sessions.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when all that is there was given to the loader.</returns>
    ValueTask StartAsync(CoapDtlsSessionLoader loader, CancellationToken cancellationToken);

    /// <summary>
    /// Keeps changes, in the order of the list. When it fails, the server calls it again after a while with the newest states; then nothing
    /// of the batch counts as confirmed.
    /// </summary>
    /// <param name="changes">Up to 1,000 changes. Only valid until the task ends, but for the memory of
    /// states, which may be kept.</param>
    /// <param name="cancellationToken">Cancelled when the server has to stop without waiting longer.</param>
    /// <returns>A task that ends when the changes are durable.</returns>
    ValueTask KeepAsync(IReadOnlyList<CoapDtlsSessionChange> changes, CancellationToken cancellationToken);

    /// <summary>Called when the server has stopped and handed over its last change.</summary>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when the server may go.</returns>
    ValueTask StopAsync(CancellationToken cancellationToken);
}
