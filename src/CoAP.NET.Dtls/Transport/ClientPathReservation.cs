using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Transport;

/// <summary>The right to open a session over a path. The holder disposes it when the attempt has succeeded or failed.</summary>
/// <param name="owner">Its owner.</param>
/// <param name="path">The path.</param>
/// <param name="serverName">The name of the server; null for an address.</param>
internal sealed class ClientPathReservation(ClientSocketSelector owner, DtlsPath path, string? serverName) : IDisposable
{
    public DtlsPath Path => path;

    public string? ServerName => serverName;

    /// <summary>Number of handshakes for it that are pending or wait for each other. Guarded by the lock of its owner.</summary>
    public int Holders { get; set; }

    public void Dispose() => owner.Release(this);
}
