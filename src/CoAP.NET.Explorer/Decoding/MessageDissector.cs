using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using CoAP.NET.Content;
using CoAP.NET.Serialization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>
/// Splits a message into fields, as far as it is readable. The library's serializers find errors, so the report matches the behaviour of an
/// endpoint.
/// </summary>
internal sealed class MessageDissector
{
    private static readonly CoapSerializerOptions s_unlimited = new() { MaxOptions = int.MaxValue, MaxMessageSize = 1L << 32 };
    private static readonly CoapDatagramSerializer s_datagram = new(s_unlimited);
    private static readonly CoapStreamSerializer s_stream = new(s_unlimited);
    private static readonly CoapWebSocketSerializer s_webSocket = new(s_unlimited);

    // The byte between options and payload (RFC 7252 section 3).
    private const byte PayloadMarker = 0xff;

    private readonly DecodedMessage _message;
    private int _offset;

    private MessageDissector(DecodedMessage message) => _message = message;

    private ReadOnlySpan<byte> Bytes => _message.Bytes.Span;

    private int Left => Bytes.Length - _offset;

    /// <summary>Splits a message into fields.</summary>
    /// <param name="bytes">The bytes of one message, complete or not.</param>
    /// <param name="format">The framing.</param>
    public static DecodedMessage Dissect(ReadOnlyMemory<byte> bytes, WireFormat format)
    {
        DecodedMessage message = new() { Bytes = bytes, Format = format };
        CoapFormatError error = Check(bytes.Span, format);
        message.Fault = error.IsNone ? null : DecodeFault.Of(error, format == WireFormat.Datagram);
        new MessageDissector(message).Run();
        return message;
    }

    /// <summary>Returns the error that the serializer of a format finds.</summary>
    public static CoapFormatError Check(ReadOnlySpan<byte> bytes, WireFormat format)
    {
        SerializerOf(format).TryDeserialize(bytes, out _, out CoapFormatError error);
        return error;
    }

    /// <summary>Reads a message.</summary>
    /// <param name="bytes">The bytes of one message.</param>
    /// <param name="format">The framing.</param>
    /// <returns>The message; null for invalid bytes.</returns>
    public static CoapMessage? Read(ReadOnlySpan<byte> bytes, WireFormat format) =>
        SerializerOf(format).TryDeserialize(bytes, out CoapMessage? message, out CoapFormatError error) && error.IsNone ? message : null;

    public static byte[] Write(CoapMessage message, WireFormat format) => SerializerOf(format).Serialize(message);

    /// <summary>Splits a stream into messages by their length fields. The last one gets the rest.</summary>
    public static IEnumerable<ReadOnlyMemory<byte>> Split(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            long length = s_stream.TryMeasure(bytes.Span, out long told) ? Math.Min(told, bytes.Length) : bytes.Length;
            yield return bytes[..(int)length];
            bytes = bytes[(int)length..];
        }
    }

    private void Run()
    {
        int end = _message.Bytes.Length;
        if (!(_message.Format == WireFormat.Datagram ? TryReadDatagramHead(out int tokenLength) : TryReadStreamHead(out tokenLength))
            || !TryReadToken(tokenLength))
        {
            Rest(end);
            return;
        }

        bool isEmptyWithMore = _message.Fault?.Rule == CoapMessageFormatViolation.EmptyNotEmpty;
        while (!isEmptyWithMore && Left > 0 && Bytes[_offset] != PayloadMarker && TryReadOption())
        {
        }

        if (!isEmptyWithMore && Left > 0 && Bytes[_offset] == PayloadMarker)
        {
            Add(1, "Payload marker");
            _message.Payload = _message.Bytes[_offset..];
        }
        else
        {
            Rest(end);
        }

        Sum();
    }

    private bool TryReadDatagramHead(out int tokenLength)
    {
        tokenLength = 0;
        if (Left < 1)
        {
            return false;
        }

        int first = Bytes[0];
        CoapMessageType type = (CoapMessageType)((first >> 4) & 3);
        tokenLength = first & 0x0f;
        Add(1, string.Create(CultureInfo.InvariantCulture,
            $"Version {first >> 6}, type {type} ({DecodedMessage.ShortNameOf(type)}), {DescribeTokenLength(tokenLength)}"));
        if (first >> 6 != 1)
        {
            return false;
        }

        _message.Type = type;
        if (!TryReadCode() || Left < 2)
        {
            return false;
        }

        _message.MessageId = BinaryPrimitives.ReadUInt16BigEndian(Bytes[_offset..]);
        Add(2, string.Create(CultureInfo.InvariantCulture, $"Message ID {_message.MessageId}"));
        return tokenLength != ExtendedField.Reserved;
    }

    private bool TryReadStreamHead(out int tokenLength)
    {
        tokenLength = 0;
        if (Left < 1)
        {
            return false;
        }

        int length = Bytes[0] >> 4;
        tokenLength = Bytes[0] & 0x0f;
        int size = ExtendedField.SizeOfExtension(length);
        string told = size == 0
            ? string.Create(CultureInfo.InvariantCulture, $"Length {length}")
            : string.Create(CultureInfo.InvariantCulture, $"Length field {length}: {size} more {(size == 1 ? "byte" : "bytes")}");
        Add(1, $"{told}, {DescribeTokenLength(tokenLength)}");
        if (_message.Format == WireFormat.WebSocket && length != 0)
        {
            return false;
        }

        if (size > 0)
        {
            if (Left < size)
            {
                return false;
            }

            Add(size, string.Create(CultureInfo.InvariantCulture,
                $"Length of options and payload: {ExtendedField.Read(length, Bytes[_offset..])}"), 1);
        }

        return TryReadCode() && tokenLength != ExtendedField.Reserved;
    }

    private bool TryReadCode()
    {
        if (Left < 1)
        {
            return false;
        }

        CoapCode code = new(Bytes[_offset]);
        _message.Code = code;
        string kind = code.IsEmpty ? "Empty"
            : code.IsRequest ? "request"
            : code.IsResponse ? code.IsSuccess ? "success response" : code.Class == 4 ? "client error response" : "server error response"
            : code.IsSignalling && _message.Format != WireFormat.Datagram ? "signalling"
            : "reserved class";
        string number = string.Create(CultureInfo.InvariantCulture, $"{code.Class}.{code.Detail:00}");
        Add(1, code.IsEmpty ? "Code 0.00 Empty" : $"Code {(code.Name is { } name ? $"{number} {name}" : number)}: {kind}");
        return true;
    }

    private bool TryReadToken(int field)
    {
        int length = field;
        int size = ExtendedField.SizeOfExtension(field);
        if (size > 0)
        {
            if (Left < size)
            {
                return false;
            }

            length = (int)ExtendedField.Read(field, Bytes[_offset..]);
            Add(size, string.Create(CultureInfo.InvariantCulture, $"Token length {length} (RFC 8974)"), 1);
        }

        if (length > Left)
        {
            return false;
        }

        _message.Token = Bytes.Slice(_offset, length).ToArray();
        if (length > 0)
        {
            Add(length, $"Token {Convert.ToHexStringLower(_message.Token)}");
        }

        return true;
    }

    private bool TryReadOption()
    {
        int begin = _offset;
        int delta = Bytes[begin] >> 4;
        int length = Bytes[begin] & 0x0f;
        int deltaSize = ExtendedField.SizeOfExtension(delta);
        int lengthSize = ExtendedField.SizeOfExtension(length);
        if (delta == ExtendedField.Reserved || length == ExtendedField.Reserved || Left < 1 + deltaSize + lengthSize)
        {
            return false;
        }

        delta = (int)ExtendedField.Read(delta, Bytes[(begin + 1)..]);
        length = (int)ExtendedField.Read(length, Bytes[(begin + 1 + deltaSize)..]);
        int head = 1 + deltaSize + lengthSize;
        int previous = _message.Options is [.., { } last] ? last.Number : 0;
        int number = previous + delta;
        if (number > OptionNumber.Max)
        {
            return false;
        }

        CoapCode code = _message.Code!.Value;
        string? name = CoapOptionRegistry.Default.Find(code, number)?.Definition.Name;
        bool isComplete = length <= Left - head;
        byte[] value = isComplete ? Bytes.Slice(begin + head, length).ToArray() : [];
        string? remark = isComplete
            ? ReceivedOptionValidator.Judge(code, number, value, isRepeated: _message.Options.Count > 0 && delta == 0,
                _message.Format == WireFormat.Datagram)
            : null;
        DecodedOption option = new(begin, number, name, delta, value, TextOf(code, number, value), remark);
        Add(head, string.Create(CultureInfo.InvariantCulture,
            $"Option {number} {name ?? "(unknown)"}: delta {delta}, length {length}; {option.BitsOf(code.IsSignalling)}"));
        if (!isComplete)
        {
            return false;
        }

        _message.Options.Add(option);
        if (length > 0)
        {
            Add(length, option.Text.Length > 0 ? option.Text : "(no text)", 1);
        }
        else if (option.Text.Length > 0)
        {
            Add(0, option.Text, 1);
        }

        if (remark is not null)
        {
            Add(0, $"! {remark}", 1);
        }

        return true;
    }

    // The text of the option without its name.
    private static string TextOf(CoapCode code, int number, ReadOnlySpan<byte> value)
    {
        CoapOption option = CoapOptionRegistry.Default.Create(code, new OptionData(number, value));
        string all = option.ToString()!;
        return TextSanitizer.LineOf(all.Length > option.Name.Length + 2 ? all[(option.Name.Length + 2)..] : "");
    }

    private static CoapMessageSerializer SerializerOf(WireFormat format) => format switch
    {
        WireFormat.Datagram => s_datagram,
        WireFormat.Stream => s_stream,
        _ => s_webSocket,
    };

    private static string DescribeTokenLength(int field) => field switch
    {
        ExtendedField.Reserved => "token length 15 (reserved)",
        13 or 14 => string.Create(CultureInfo.InvariantCulture,
            $"token length field {field}: {field - 12} more {(field == 13 ? "byte" : "bytes")}"),
        _ => string.Create(CultureInfo.InvariantCulture, $"token length {field}"),
    };

    private void Sum()
    {
        DecodedMessageAnnotator.Complete(_message);
        if (_message.Payload.IsEmpty)
        {
            return;
        }

        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture,
            $"Payload, {_message.Payload.Length} {(_message.Payload.Length == 1 ? "byte" : "bytes")}");
        text.Append(_message.ContentFormat is { } format ? $", {format}" : _message.Code is { IsError: true } ? ", diagnostic text"
            : ", without Content-Format");
        text.Append(_message.Part is { } part ? $": {part}" : "");
        Add(_message.Payload.Length, text.ToString());
    }

    private void Rest(int end)
    {
        if (_offset < end)
        {
            Add(end - _offset, "(not read)");
        }
    }

    private void Add(int length, string text, int level = 0)
    {
        _message.Fields.Add(new DecodedField(_offset, length, text, level));
        _offset += length;
    }
}
