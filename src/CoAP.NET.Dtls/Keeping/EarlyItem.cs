using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>An item that waits until its session may answer and send: a received record, or a message to send.</summary>
internal sealed class EarlyItem
{
    // Memory of an item besides its bytes.
    private const int Overhead = 240;

    /// <summary>Creates an item.</summary>
    /// <param name="session">Its session. A record names it by Connection ID or path.</param>
    /// <param name="path">The path that it came from or goes to.</param>
    /// <param name="bytes">The record or the message.</param>
    /// <param name="source">The source whose quota it uses.</param>
    public EarlyItem(KeptDtlsSession session, in DtlsPath path, byte[] bytes, CoapSource source)
    {
        Session = session;
        Path = path;
        Bytes = bytes;
        Holding = new SourceLedger<EarlyItem>.Holding(this, source);
    }

    /// <summary>Its session.</summary>
    public KeptDtlsSession Session { get; }

    /// <summary>The path that it came from or goes to.</summary>
    public DtlsPath Path { get; }

    /// <summary>The record or the message.</summary>
    public byte[] Bytes { get; }

    /// <summary>Memory that it takes, in bytes.</summary>
    public int Cost => Overhead + Bytes.Length;

    /// <summary>Its place among those of its source.</summary>
    public SourceLedger<EarlyItem>.Holding Holding { get; }
}
