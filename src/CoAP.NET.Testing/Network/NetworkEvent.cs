using System.Globalization;

namespace CoAP.NET.Testing.Network;

/// <summary>An event on an <see cref="InMemoryNetwork"/>: one line of its trace.</summary>
/// <param name="Time">The time since the network was made.</param>
/// <param name="Kind">The kind of event.</param>
/// <param name="Packet">The datagram at the time of the event; null when the test changed the network.</param>
/// <param name="To">The affected address: for a datagram the receiver, which in a group is one of several.</param>
/// <param name="Note">A diagnostic note; may be empty.</param>
internal sealed record NetworkEvent(TimeSpan Time, NetworkEventKind Kind, NetworkPacket? Packet, CoapAddress To, string Note)
{
    private const int MaxBytesShown = 32;

    /// <summary>Formats one line: time, kind, addresses, header, bytes.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        string time = Time.TotalSeconds.ToString("F6", CultureInfo.InvariantCulture).PadLeft(12);
        string kind = Kind.ToString().PadRight(15);
        if (Packet is null)
        {
            return $"{time} {kind}      {Note}";
        }

        ReadOnlySpan<byte> bytes = Packet.Data.Span;
        string hex = Convert.ToHexStringLower(bytes[..Math.Min(bytes.Length, MaxBytesShown)])
            + (bytes.Length > MaxBytesShown ? ".." : string.Empty);
        string number = $"#{Packet.Number}".PadLeft(5);
        string note = Note.Length == 0 ? string.Empty : $" [{Note}]";
        return $"{time} {kind}{number} {Packet.From} > {To} {Packet.Head} ({bytes.Length} B) {hex}{note}";
    }
}
