namespace CoAP.NET.Edhoc.Tests;

/// <summary>Gives out the bytes of traces, so that ephemeral keys are those of the trace.</summary>
internal sealed class GivenRandom(params byte[][] values) : CoapRandomSource
{
    private readonly Queue<byte[]> _values = new(values);

    public override void Fill(Span<byte> destination) => _values.Dequeue().CopyTo(destination);
}
