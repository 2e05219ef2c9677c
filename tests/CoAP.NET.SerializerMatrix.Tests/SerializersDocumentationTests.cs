namespace CoAP.NET.Benchmarks.Tests;

/// <summary>The snippets of docs/benchmarks/serializers.md, so that they compile and do what the page says.</summary>
public sealed class SerializersDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("benchmarks/serializers.md", ".", 2, "CoAP.NET.SerializerMatrix.Tests");

    [Fact]
    public void The_comparison_and_the_matrix_of_the_page_measure_the_selected_messages()
    {
        MyComparison comparison = new();
        Assert.Equal([new(0, 0), new(100, 1000)], comparison.Cases);
        comparison.Case = new MatrixCase(100, 1000);
        comparison.Setup();
        Assert.Equal(100, comparison.DeserializeByCodec().Options.Count);

        MyMatrix matrix = new();
        Assert.Equal([new(0, 0), new(0, 1000)], matrix.Cases);
        matrix.Case = new MatrixCase(0, 1000);
        matrix.Setup();
        Assert.Equal(CoapCode.Content, matrix.Deserialize().Code);
    }

    public class MyComparison : CodecComparison<MyMessage>
    {
        protected override IMatrixCodec<MyMessage> CreateCodec() => new MyCodec();

        // Default: four small messages.
        protected override IEnumerable<MatrixCase> SelectCases() => [new(0, 0), new(100, 1000)];
    }

    public class MyMatrix : SerializerMatrix
    {
        // A codec of yours, or one of the library with options of yours.
        protected override ICoapMessageSerializer CreateSerializer() => CoapDatagramSerializer.Default;

        // Default: the 25 messages.
        protected override IEnumerable<MatrixCase> SelectCases() => [new(0, 0), new(0, 1000)];

        // Default: as above.
        protected override CoapMessage CreateMessage(MatrixCase one) =>
            new(CoapCode.Content) { Payload = new byte[one.Payload] };
    }
}
