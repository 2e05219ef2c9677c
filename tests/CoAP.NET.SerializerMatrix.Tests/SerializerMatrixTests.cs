namespace CoAP.NET.Benchmarks.Tests;

public sealed class SerializerMatrixTests
{
    [Fact]
    public async Task The_four_published_methods_have_the_parameters_and_results_of_the_thesis()
    {
        StreamMatrix matrix = new() { Case = new MatrixCase(2, 1024) };
        matrix.Setup();
        byte[] bytes = matrix.Serialize();

        Assert.Equal(matrix.Size, bytes.Length);
        Assert.NotSame(bytes, matrix.Serialize());
        Assert.Equal(1024, matrix.Deserialize().Payload.Length);
        Assert.Equal(1024, (await matrix.DeserializeAsync()).Payload.Length);
        Assert.Equal(2, matrix.DeserializeTyped());
    }

    [Fact]
    public void Results_count_as_allocations_and_the_target_stream_does_not()
    {
        StreamMatrix matrix = new() { Case = new MatrixCase(2, 1024) };
        matrix.Setup();

        Assert.InRange(Allocations.Least(() => matrix.Serialize()), matrix.Size, matrix.Size + 64);
        Assert.InRange(Allocations.Least(() => matrix.Deserialize()), matrix.Size - 20, matrix.Size + 256);
        Assert.InRange(Allocations.Least(() => _ = matrix.DeserializeAsync().AsTask().Result), matrix.Size - 20, matrix.Size + 512);
        Assert.Equal(0, Allocations.Least(matrix.SerializeToStream));
        Assert.Equal(0, Allocations.Least(() => Assert.True(IsWritten(matrix))));
    }

    [Theory]
    [InlineData(nameof(ICoapMessageSerializer.Deserialize), "DeserializeFromStream gives other bytes")]
    [InlineData(nameof(ICoapMessageSerializer.Serialize), "SerializeToStream gives other bytes")]
    public void A_serializer_that_differs_with_a_stream_is_not_measured(string fault, string message)
    {
        FaultyMatrix matrix = new(fault) { Case = new MatrixCase(0, 10) };

        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(matrix.Setup);

        exception.Mentions(message);
    }

    private static bool IsWritten(SerializerMatrix matrix)
    {
        ValueTask written = matrix.SerializeAsync();
        return written.IsCompletedSuccessfully;
    }

    private sealed class FaultyMatrix(string fault) : SerializerMatrix
    {
        protected override ICoapMessageSerializer CreateSerializer() => new FaultySerializer(fault);
    }
}
