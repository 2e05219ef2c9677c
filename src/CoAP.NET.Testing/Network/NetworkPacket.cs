using CoAP.NET.Testing.Network;

namespace CoAP.NET.Testing;

/// <summary>A datagram on an <see cref="InMemoryNetwork"/>. Immutable; a corrupted datagram is another object.</summary>
public sealed class NetworkPacket
{
    internal NetworkPacket(long number, TimeSpan time, CoapAddress from, CoapAddress to, byte[] data)
    {
        Number = number;
        Time = time;
        From = from;
        To = to;
        Data = data;
    }

    /// <summary>Its number among all datagrams of the network; the first is 1. Copies have the number of the original.</summary>
    public long Number { get; }

    /// <summary>The sending time since the network was made.</summary>
    public TimeSpan Time { get; }

    /// <summary>The sender's address as others see it.</summary>
    public CoapAddress From { get; }

    /// <summary>The destination; may be a group.</summary>
    public CoapAddress To { get; }

    /// <summary>The bytes.</summary>
    public ReadOnlyMemory<byte> Data { get; }

    /// <summary>The type in the header (RFC 7252 section 3), read without validation; zero if the header is incomplete.</summary>
    public CoapMessageType Type => Head.Type;

    /// <summary>The code in the header; zero if it is incomplete.</summary>
    public CoapCode Code => Head.Code;

    /// <summary>The Message ID in the header; zero if it is incomplete.</summary>
    public ushort MessageId => Head.MessageId;

    /// <summary>The bytes of the token; truncated at the end of the datagram.</summary>
    public ReadOnlyMemory<byte> Token => Head.Token;

    internal MessageHead Head => MessageHead.Read(Data);

    /// <summary>Formats number, addresses, header and size for diagnostics.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"#{Number} {From} > {To} {Head} ({Data.Length} B)";

    internal NetworkPacket With(byte[] data) => new(Number, Time, From, To, data);
}
