using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Transport;

/// <summary>The right to make a session over a path, until it is there or was not to be had; disposed of when that is known.</summary>
/// <param name="owner">Whose it is.</param>
/// <param name="path">The path.</param>
/// <param name="serverName">What the server is called; null for an address.</param>
internal sealed class PathClaim(ClientPaths owner, DtlsPath path, string? serverName) : IDisposable
{
    public DtlsPath Path => path;

    public string? ServerName => serverName;

    /// <summary>How many handshakes for it are under way or wait for each other. Guarded by the lock of its owner.</summary>
    public int Holders { get; set; }

    public void Dispose() => owner.Release(this);
}
