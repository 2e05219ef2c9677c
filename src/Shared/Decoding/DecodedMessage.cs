using System.Globalization;

namespace CoAP.NET.Decoding;

/// <summary>A message taken apart, as far as its bytes are one.</summary>
internal sealed class DecodedMessage
{
    public required ReadOnlyMemory<byte> Bytes { get; init; }

    public required WireFormat Format { get; init; }

    /// <summary>All fields in order.</summary>
    public List<DecodedField> Fields { get; } = [];

    /// <summary>The type; null on transports that have none, and where it is missing.</summary>
    public CoapMessageType? Type { get; set; }

    public CoapCode? Code { get; set; }

    public ushort? MessageId { get; set; }

    public byte[]? Token { get; set; }

    public List<DecodedOption> Options { get; } = [];

    public ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>What the payload is; null where nobody says.</summary>
    public CoapContentFormat? ContentFormat { get; set; }

    /// <summary>Which part of a body the payload is, such as <c>block 3 of 64 bytes, more follow</c>; null for all of it.</summary>
    public string? Part { get; set; }

    /// <summary>What is well-formed and still makes no sense, or needs a word.</summary>
    public List<string> Remarks { get; } = [];

    /// <summary>The message that an OSCORE message protects; null where there is none, or no key for it.</summary>
    public DecodedMessage? Decrypted { get; set; }

    /// <summary>Why it is no message; null when it is one.</summary>
    public DecodeFault? Fault { get; set; }

    /// <summary>The request path or location as text; null for none.</summary>
    public string? Path { get; set; }

    /// <summary>The message on one line, such as <c>CON GET /sensors/temp</c>.</summary>
    public string Summary
    {
        get
        {
            string?[] words = [Type is { } type ? ShortNameOf(type) : null, Code?.ToString(), Path];
            string name = Fault is null ? string.Join(' ', words.OfType<string>()) : "Not a CoAP message";
            return string.Create(CultureInfo.InvariantCulture, $"{name}  ({Bytes.Length} bytes, {NameOf(Format)})");
        }
    }

    public static string NameOf(WireFormat format) => format switch
    {
        WireFormat.Datagram => "UDP",
        WireFormat.Stream => "TCP",
        _ => "WebSocket",
    };

    public static string ShortNameOf(CoapMessageType type) => type switch
    {
        CoapMessageType.Confirmable => "CON",
        CoapMessageType.NonConfirmable => "NON",
        CoapMessageType.Acknowledgement => "ACK",
        _ => "RST",
    };
}
