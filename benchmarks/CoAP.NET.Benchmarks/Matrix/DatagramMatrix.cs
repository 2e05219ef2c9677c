namespace CoAP.NET.Benchmarks;

/// <summary>Those messages of the matrix that fit a datagram, in the format of RFC 7252 section 3.</summary>
public class DatagramMatrix : SerializerMatrix
{
    private const int LargestDatagram = 65_507;
    private const int OptionSize = 258;

    /// <inheritdoc/>
    protected override IEnumerable<MatrixCase> SelectCases() =>
        MatrixCase.All.Where(one => 13 + (OptionSize * (long)one.Options) + one.Payload <= LargestDatagram);

    /// <inheritdoc/>
    protected override ICoapMessageSerializer CreateSerializer() => CoapDatagramSerializer.Default;
}
