namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Whom sessions talk to: sockets below, the mesh above. Called on the thread that received, and never under a lock of a session.
/// </summary>
internal interface IDtlsSink
{
    /// <summary>Sends a datagram.</summary>
    /// <param name="path">Where to.</param>
    /// <param name="datagram">Its bytes; copied before this returns.</param>
    void Send(in DtlsPath path, ReadOnlySpan<byte> datagram);

    /// <summary>The way to the peer of a session that was kept, perhaps on another host.</summary>
    /// <param name="kept">The way that it had.</param>
    DtlsPath PathFor(in DtlsPath kept) => kept;

    /// <summary>A session is there.</summary>
    /// <param name="session">The session.</param>
    void Opened(DtlsSession session);

    /// <summary>Whether requests of the peer of a session are under way.</summary>
    /// <param name="session">The session.</param>
    bool IsBusy(DtlsSession session) => false;

    /// <summary>Begins no request of the peer of a session any more, and waits until those under way are answered.</summary>
    /// <param name="session">The session.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    Task FinishAsync(DtlsSession session, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Takes nothing more of a session, which lives on elsewhere.</summary>
    /// <param name="session">The session.</param>
    /// <returns>What has to be known there of what came (<see cref="Keeping.SessionLoading.TakeSeen"/>); mostly empty.</returns>
    ReadOnlyMemory<byte> Retire(DtlsSession session) => default;

    /// <summary>A session has a message.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">How it came.</param>
    /// <param name="content">The message.</param>
    void Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content);

    /// <summary>
    /// The peer of a session has another address: shown by a record that is authentic and newer than all before (RFC 9146 section 6).
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">Where it was before.</param>
    void Moved(DtlsSession session, in DtlsPath from);

    /// <summary>A session has ended, once.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    void Closed(DtlsSession session, DtlsEnd reason);
}
