using CoAP.NET.Benchmarks;

namespace SerializerComparison;

/// <summary>The plain codec beside the library. The messages are converted before the measurement.</summary>
public class PlainComparison : CodecComparison<PlainMessage>
{
    /// <inheritdoc/>
    protected override IMatrixCodec<PlainMessage> CreateCodec() => new PlainCodec();
}
