using System.Globalization;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>Something that happened on an <see cref="InMemoryNetwork"/>: one line of its trace.</summary>
/// <param name="Time">When, as time since the network was made.</param>
/// <param name="Kind">What happened.</param>
/// <param name="Packet">The datagram it happened to, as it was then; null where the test changed the network.</param>
/// <param name="To">The address it concerns: for a datagram the receiver, which in a group is one of several.</param>
/// <param name="Note">More, for people; may be empty.</param>
public sealed record NetworkEvent(TimeSpan Time, NetworkEventKind Kind, NetworkPacket? Packet, CoapAddress To, string Note)
{
    private const int MaxBytesShown = 32;

    /// <summary>One line: time, what happened, addresses, head of the message, bytes.</summary>
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
