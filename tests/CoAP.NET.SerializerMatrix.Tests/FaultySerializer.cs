using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Benchmarks.Tests;

/// <summary>The format of datagrams; one of the methods that read or write a stream synchronously loses the payload.</summary>
/// <param name="fault">The method: Deserialize or Serialize.</param>
internal sealed class FaultySerializer(string fault) : CoapCustomFormatSerializer, ICoapMessageSerializer
{
    protected override bool EndsWithSource => true;

    CoapMessage ICoapMessageSerializer.Deserialize(Stream source) => Spoil(Deserialize(source), nameof(Deserialize));

    void ICoapMessageSerializer.Serialize(Stream destination, CoapMessage message) =>
        Serialize(destination, Spoil(message.Clone(), nameof(Serialize)));

    protected override bool TryRead(in ReadOnlySequence<byte> source, bool isWhole, [NotNullWhen(true)] out CoapMessage? message,
        out SequencePosition consumed, out CoapFormatError error) =>
        CoapDatagramSerializer.Default.TryDeserialize(source, out message, out consumed, out error);

    protected override void Write(IBufferWriter<byte> destination, CoapMessage message) =>
        CoapDatagramSerializer.Default.Serialize(destination, message);

    private CoapMessage Spoil(CoapMessage message, string method)
    {
        message.Payload = method == fault ? default : message.Payload;
        return message;
    }
}
