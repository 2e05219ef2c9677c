using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace CoAP.NET.Benchmarks.Tests;

public sealed class CodecComparisonTests
{
    private static readonly MatrixCase s_case = new(3, 1000);

    [Theory]
    [InlineData(nameof(IMatrixCodec<>.Convert), nameof(IMatrixCodec<>.Serialize))]
    [InlineData(nameof(IMatrixCodec<>.Serialize), nameof(IMatrixCodec<>.Serialize))]
    [InlineData(nameof(IMatrixCodec<>.Deserialize), nameof(IMatrixCodec<>.Deserialize))]
    [InlineData(nameof(IMatrixCodec<>.DeserializeAsync), nameof(IMatrixCodec<>.DeserializeAsync))]
    [InlineData(nameof(IMatrixCodec<>.SerializeAsync), nameof(IMatrixCodec<>.SerializeAsync))]
    public void A_codec_whose_output_differs_from_that_of_the_library_is_not_measured(string fault, string method)
    {
        Comparison comparison = new(new FaultyCodec(fault)) { Case = s_case };

        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(comparison.Setup);

        exception.Message.Begins($"FaultyCodec 3+1000: {method} gives other bytes");
    }

    [Fact]
    public void A_run_in_process_fails_with_a_codec_whose_output_differs()
    {
        string folder = Directory.CreateTempSubdirectory("coap-benchmarks-").FullName;
        try
        {
            // As by the switches --job dry --inProcess.
            ManualConfig config = ManualConfig.CreateEmpty().AddJob(Job.Dry.WithToolchain(InProcessEmitToolchain.Instance))
                .AddColumnProvider(DefaultColumnProviders.Instance).AddLogger(NullLogger.Instance)
                .WithOptions(ConfigOptions.DisableOptimizationsValidator).WithArtifactsPath(folder);

            Assert.All(BenchmarkRunner.Run<WrongComparison>(config).Reports, report => Assert.False(report.Success), throwIfEmpty: true);
            Assert.All(BenchmarkRunner.Run<PlainComparison>(config).Reports, report => Assert.True(report.Success), throwIfEmpty: true);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task The_message_is_converted_before_the_measurement_only()
    {
        FaultyCodec codec = new(null);
        Comparison comparison = new(codec) { Case = s_case };
        comparison.Setup();

        for (int i = 0; i < 3; i++)
        {
            comparison.DeserializeByCodec();
            await comparison.DeserializeAsyncByCodec();
            comparison.SerializeByCodec();
            await comparison.SerializeAsyncByCodec();
        }

        Assert.Equal(1, codec.Conversions);
    }

    [Fact]
    public void The_plain_codec_of_the_sample_reads_and_writes_the_same_bytes_as_the_library()
    {
        foreach (MatrixCase one in new PlainComparison().Cases.Append(new(20, 0)))
        {
            PlainComparison comparison = new() { Case = one };
            comparison.Setup();

            Assert.Equal(comparison.SerializeByLibrary(), comparison.SerializeByCodec());
            Assert.Equal(one.Options, comparison.DeserializeByCodec().Options.Count);
        }
    }

    [Theory]
    [InlineData("Codec")]
    [InlineData("Message")]
    public void The_template_contains_the_codec_of_the_sample(string file)
    {
        string sample = Code("samples/SerializerComparison", "Plain");
        string template = Code("src/CoAP.NET.Templates/content/coap-serializer-benchmark", "My");

        Assert.Equal(
            sample.Replace("namespace SerializerComparison;\n\n", "").Replace("PlainCodec", "MyCodec").Replace("PlainMessage", "MyMessage"),
            template);

        // The first summary says what each of them is.
        string Code(string folder, string prefix)
        {
            string text = File.ReadAllText(Path.Combine(Repository.Root, folder, $"{prefix}{file}.cs"));
            int start = text.IndexOf("/// <summary>", Ordinal);
            return text.Remove(start, text.IndexOf("</summary>", Ordinal) - start);
        }
    }

    [Fact]
    public void Each_codec_method_has_the_corresponding_library_method_as_its_baseline()
    {
        BenchmarkCase[] cases = BenchmarkConverter.TypeToBenchmarks(typeof(PlainComparison)).BenchmarksCases;
        string[] methods = ["Deserialize", "DeserializeAsync", "Serialize", "SerializeAsync"];

        Assert.Equal(
            methods.SelectMany(method => new[] { $"{method}: {method}ByCodec", $"{method}: {method}ByLibrary, the baseline" }),
            cases.Where(one => one.Parameters["Case"].Equals(s_case))
                .Select(one => $"{one.Descriptor.Categories.Single()}: {one.Descriptor.WorkloadMethod.Name}"
                    + (one.Descriptor.Baseline ? ", the baseline" : ""))
                .Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_serializer_of_the_library_can_be_compared_without_an_adapter()
    {
        SameComparison comparison = new() { Case = s_case };
        comparison.Setup();

        Assert.Equal(comparison.SerializeByLibrary(), comparison.SerializeByCodec());
        Assert.Throws<ArgumentNullException>(() => new SerializerCodecAdapter(null!));
    }

    public class WrongComparison : CodecComparison<PlainMessage>
    {
        protected override IMatrixCodec<PlainMessage> CreateCodec() => new FaultyCodec(nameof(IMatrixCodec<>.Serialize));

        protected override IEnumerable<MatrixCase> SelectCases() => [s_case];
    }

    public class SameComparison : CodecComparison<CoapMessage>
    {
        protected override IMatrixCodec<CoapMessage> CreateCodec() => new SerializerCodecAdapter(CreateLibrary());

        protected override ICoapMessageSerializer CreateLibrary() => CoapStreamSerializer.Default;
    }

    private sealed class Comparison(IMatrixCodec<PlainMessage> codec) : CodecComparison<PlainMessage>
    {
        protected override IMatrixCodec<PlainMessage> CreateCodec() => codec;
    }
}
