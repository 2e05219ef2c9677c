using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Transport;

/// <summary>Reserves a path for the handshakes with one server. A holder disposes it when its handshake has succeeded or failed.</summary>
/// <param name="owner">The selector that gave the reservation.</param>
/// <param name="path">The reserved path.</param>
/// <param name="serverName">The name of the server; null for an address.</param>
internal sealed class HandshakePathReservation(ClientSocketSelector owner, DtlsPath path, string? serverName) : IDisposable
{
    public DtlsPath Path => path;

    public string? ServerName => serverName;

    /// <summary>Number of pending handshakes, including those that wait for another one. Guarded by the lock of the owner.</summary>
    public int Holders { get; set; }

    public void Dispose() => owner.Release(this);
}
