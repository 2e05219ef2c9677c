using System.Globalization;

namespace CoAP.NET.Testing;

/// <summary>An event on an <see cref="InMemoryNetwork"/>: one line of <see cref="InMemoryNetwork.Trace"/>.</summary>
public sealed class NetworkEvent
{
    private const int MaxBytesShown = 32;

    internal NetworkEvent(TimeSpan time, NetworkEventKind kind, NetworkPacket? packet, CoapAddress to, string note)
    {
        Time = time;
        Kind = kind;
        Packet = packet;
        To = to;
        Note = note;
    }

    /// <summary>The time since the network was made.</summary>
    public TimeSpan Time { get; }

    /// <summary>The kind of event.</summary>
    public NetworkEventKind Kind { get; }

    /// <summary>The datagram at the time of the event; null when the test changed the network.</summary>
    public NetworkPacket? Packet { get; }

    /// <summary>The affected address: for a datagram the receiver, which in a group is one of several.</summary>
    public CoapAddress To { get; }

    /// <summary>A diagnostic note; may be empty.</summary>
    public string Note { get; }

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
