namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Receives the output of sessions: sockets below, the mesh above. Called on the receive thread, never under a lock of a session.
/// </summary>
internal interface IDtlsSessionOutput
{
    /// <summary>Sends a datagram.</summary>
    /// <param name="path">The destination.</param>
    /// <param name="datagram">Its bytes; the method copies them before it returns.</param>
    void Send(in DtlsPath path, ReadOnlySpan<byte> datagram);

    /// <summary>Returns the path to the peer of a kept session, perhaps from another host.</summary>
    /// <param name="kept">The path that it had.</param>
    DtlsPath PathFor(in DtlsPath kept) => kept;

    /// <summary>A session is open.</summary>
    /// <param name="session">The session.</param>
    void Opened(DtlsSession session);

    /// <summary>Whether the peer of a session has pending requests.</summary>
    /// <param name="session">The session.</param>
    bool IsBusy(DtlsSession session) => false;

    /// <summary>Starts no more requests of the peer of a session, and waits until the pending ones have answers.</summary>
    /// <param name="session">The session.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    Task FinishAsync(DtlsSession session, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Ignores further input of a session, which continues elsewhere.</summary>
    /// <param name="session">The session.</param>
    /// <returns>
    /// What the next server has to know of received messages (<see cref="SessionBackups.SessionLoader.TakeSeen"/>); mostly empty.
    /// </returns>
    ReadOnlyMemory<byte> ExportState(DtlsSession session) => default;

    /// <summary>A session received a message.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">The path that it came from.</param>
    /// <param name="content">The message.</param>
    void Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content);

    /// <summary>
    /// The peer of a session has another address, as shown by an authentic record that is newer than all before (RFC 9146 section 6).
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">The previous path.</param>
    void Moved(DtlsSession session, in DtlsPath from);

    /// <summary>A session has ended. Called once.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">The reason.</param>
    void Closed(DtlsSession session, DtlsSessionEndReason reason);
}
