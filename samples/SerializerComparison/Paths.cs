using CoAP.NET.Benchmarks;
using CoAP.NET.Serialization;

namespace SerializerComparison;

/// <summary>What the matrix measures by default, for comparison.</summary>
public class Paths : SerializerMatrix
{
    /// <inheritdoc/>
    protected override IEnumerable<MatrixCase> SelectCases() => [new MatrixCase(0, 0), new MatrixCase(10, 0), new MatrixCase(100, 1000)];

    /// <inheritdoc/>
    protected override ICoapMessageSerializer CreateSerializer() => CoapDatagramSerializer.Default;
}
