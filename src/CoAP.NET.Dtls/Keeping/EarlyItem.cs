using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>What waits until its session may answer and send: a record that came, or a message that is to go.</summary>
internal sealed class EarlyItem
{
    // What holding one takes beside its bytes.
    private const int Overhead = 240;

    /// <summary>Makes one.</summary>
    /// <param name="session">Whose it is, of a record as its Connection ID or path says.</param>
    /// <param name="path">How it came, or where it goes.</param>
    /// <param name="bytes">The record or the message.</param>
    /// <param name="source">Whose share it takes.</param>
    public EarlyItem(KeptDtlsSession session, in DtlsPath path, byte[] bytes, CoapSource source)
    {
        Session = session;
        Path = path;
        Bytes = bytes;
        Holding = new SourceLedger<EarlyItem>.Holding(this, source);
    }

    /// <summary>Whose it is.</summary>
    public KeptDtlsSession Session { get; }

    /// <summary>How it came, or where it goes.</summary>
    public DtlsPath Path { get; }

    /// <summary>The record or the message.</summary>
    public byte[] Bytes { get; }

    /// <summary>How much memory it takes, in bytes.</summary>
    public int Cost => Overhead + Bytes.Length;

    /// <summary>Its place among those of its source.</summary>
    public SourceLedger<EarlyItem>.Holding Holding { get; }
}
