using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Tests.Serialization;

internal sealed class ShortCodec : CoapCustomFormatSerializer
{
    protected override bool TryRead(
        in ReadOnlySequence<byte> source, bool isWhole, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error)
    {
        SequenceReader<byte> reader = new(source);
        message = null;
        consumed = source.Start;
        error = default;
        if (!reader.TryReadBigEndian(out short length) || reader.Remaining < length || !reader.TryRead(out byte code))
        {
            return false; // More bytes are needed; error says so by its default value.
        }

        ReadOnlySequence<byte> payload = source.Slice(3, length - 1);
        message = new CoapMessage(new CoapCode(code)) { Payload = payload.ToArray() };
        consumed = payload.End;
        return true;
    }

    protected override void Write(IBufferWriter<byte> destination, CoapMessage message)
    {
        int length = message.Payload.Length + 1;
        destination.Write([(byte)(length >> 8), (byte)length, message.Code.Value]);
        destination.Write(message.Payload.Span);
    }
}
