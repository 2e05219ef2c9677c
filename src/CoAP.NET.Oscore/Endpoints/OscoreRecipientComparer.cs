namespace CoAP.NET.Oscore;

/// <summary>Compares the keys of security contexts with bytes in a message, without copying them.</summary>
internal sealed class OscoreRecipientComparer
    : IEqualityComparer<OscoreRecipient>, IAlternateEqualityComparer<OscoreRecipientName, OscoreRecipient>
{
    public bool Equals(OscoreRecipient x, OscoreRecipient y) => x.Equals(y);

    public int GetHashCode(OscoreRecipient obj) => obj.GetHashCode();

    public bool Equals(OscoreRecipientName alternate, OscoreRecipient other) => alternate.Is(other);

    public int GetHashCode(OscoreRecipientName alternate) => alternate.Hash();

    public OscoreRecipient Create(OscoreRecipientName alternate) => alternate.ToRecipient();
}
