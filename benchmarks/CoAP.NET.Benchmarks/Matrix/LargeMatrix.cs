namespace CoAP.NET.Benchmarks;

/// <summary>Messages of the matrix whose bytes are a large object, and that fit below a threshold of 16 MiB.</summary>
public class LargeMatrix : StreamMatrix
{
    /// <inheritdoc/>
    protected override IEnumerable<MatrixCase> SelectCases() =>
        [new(0, 131_072), new(1_024, 0), new(1_024, 131_072), new(4_096, 0), new(4_096, 131_072)];
}
