using System.Globalization;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Testing;

/// <summary>A datagram that a scripted peer received.</summary>
public sealed class ReceivedDatagram
{
    private static readonly Dictionary<string, byte[]> s_none = [];

    internal ReceivedDatagram(TimeSpan time, CoapAddress from, CoapAddress to, ReadOnlyMemory<byte> data)
    {
        Time = time;
        From = from;
        To = to;
        Data = data;
    }

    /// <summary>The time of arrival since the network, or the peer with a real socket, was made.</summary>
    public TimeSpan Time { get; }

    /// <summary>The sender.</summary>
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

    /// <summary>The bytes in lower-case hexadecimal digits.</summary>
    public string Hex => Convert.ToHexStringLower(Data.Span);

    /// <summary>The captures of the pattern that the datagram was compared with, by name.</summary>
    public IReadOnlyDictionary<string, byte[]> Captures { get; internal set; } = s_none;

    /// <summary>Formats time, sender, header and bytes for diagnostics.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Time.TotalSeconds:F6} from {From}: {Head}, {Data.Length} B: {Hex}");
}
