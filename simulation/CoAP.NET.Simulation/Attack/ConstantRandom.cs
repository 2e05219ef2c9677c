namespace CoAP.NET.Simulation.Attack;

/// <summary>No chance at all: a planted defect, as of a device without a source of entropy.</summary>
internal sealed class ConstantRandom : CoapRandomSource
{
    public override void Fill(Span<byte> destination) => destination.Fill(0x2a);
}
