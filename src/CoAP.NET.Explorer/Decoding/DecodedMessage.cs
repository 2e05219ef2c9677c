using System.Globalization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>The fields of a message, as far as its bytes are valid.</summary>
internal sealed class DecodedMessage
{
    public required ReadOnlyMemory<byte> Bytes { get; init; }

    public required WireFormat Format { get; init; }

    /// <summary>All fields in order.</summary>
    public List<DecodedField> Fields { get; } = [];

    /// <summary>The type; null on transports without types, and when it is missing.</summary>
    public CoapMessageType? Type { get; set; }

    public CoapCode? Code { get; set; }

    public ushort? MessageId { get; set; }

    public byte[]? Token { get; set; }

    public List<DecodedOption> Options { get; } = [];

    public ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>The format of the payload; null when unknown.</summary>
    public CoapContentFormat? ContentFormat { get; set; }

    /// <summary>The part of a body in the payload, such as <c>block 3 of 64 bytes, more follow</c>; null for the whole body.</summary>
    public string? Part { get; set; }

    /// <summary>Remarks on fields that are well-formed but make no sense, or need an explanation.</summary>
    public List<string> Remarks { get; } = [];

    /// <summary>The plain message inside an OSCORE message; null without OSCORE or without its key.</summary>
    public DecodedMessage? Decrypted { get; set; }

    /// <summary>The reason why the bytes are not a message; null for a message.</summary>
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
