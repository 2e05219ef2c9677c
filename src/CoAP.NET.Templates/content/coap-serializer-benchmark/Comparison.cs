using CoAP.NET.Benchmarks;

/// <summary>The codec beside the library, in one table.</summary>
public class Comparison : CodecComparison<MyMessage>
{
    /// <inheritdoc/>
    protected override IMatrixCodec<MyMessage> CreateCodec() => new MyCodec();

    // Each message: the number of options Uri-Path of 255 characters, and the bytes of payload. Override CreateMessage for other messages.
    /// <inheritdoc/>
    protected override IEnumerable<MatrixCase> SelectCases() => [new(0, 0), new(0, 1000), new(3, 0), new(3, 1000)];
}
