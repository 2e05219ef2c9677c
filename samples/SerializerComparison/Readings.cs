using CoAP.NET;
using CoAP.NET.Benchmarks;

namespace SerializerComparison;

/// <summary>The same number of options, but of our own type.</summary>
public class Readings : Paths
{
    /// <inheritdoc/>
    protected override ICoapMessageSerializer CreateSerializer() =>
        new CoapDatagramSerializer(
            new CoapSerializerOptions { Registry = CoapOptionRegistry.Default.With(new OptionFactory<Reading>()) });

    /// <inheritdoc/>
    protected override CoapMessage CreateMessage(MatrixCase one)
    {
        CoapMessage message = base.CreateMessage(new MatrixCase(0, one.Payload));
        for (uint i = 0; i < one.Options; i++)
        {
            message.Options.Add(new Reading(1000 + i));
        }

        return message;
    }
}
