using CoAP.NET.Benchmarks;

namespace SerializerComparison;

/// <summary>Options of the library, to compare <see cref="Readings"/> with.</summary>
public class Paths : SerializerMatrix
{
    /// <inheritdoc/>
    protected override IEnumerable<MatrixCase> SelectCases() => [new MatrixCase(0, 0), new MatrixCase(10, 0), new MatrixCase(100, 1000)];

    /// <inheritdoc/>
    protected override ICoapMessageSerializer CreateSerializer() => CoapDatagramSerializer.Default;
}
