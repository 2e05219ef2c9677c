using CoAP.NET.Content.Problems;

namespace CoAP.NET.Content.Tests.Problems;

/// <summary>Concise problem details (RFC 9290) as bytes.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ProblemTests
{
    [Fact]
    [Rfc("9290-2-1")]
    public void Title_and_response_code_are_read_and_written()
    {
        const string hex = "a220696e6f2073656e736f72231884";
        CoapProblem problem = Read(hex);
        Assert.Equal("no sensor", problem.Title);
        Assert.Equal(CoapCode.NotFound, problem.ResponseCode);
        Assert.Equal(hex, Wire.Hex(problem.ToBytes()));
        Assert.Equal("no sensor", problem.ToString());
    }

    [Fact]
    [Rfc("9290-2-1")]
    public void All_standard_entries_survive_a_round_trip()
    {
        CoapProblem problem = new()
        {
            TitleText = new ProblemText("Kein Sensor", "de", false),
            DetailText = new ProblemText("לא נמצא", "he", true),
            Instance = "coap://h/errors/7",
            ResponseCode = CoapCode.NotFound,
            BaseUri = "coap://h/",
            BaseLanguage = "en-GB",
            BaseIsRightToLeft = true,
        };
        CoapProblem read = Read(Wire.Hex(problem.ToBytes()));
        Assert.Equal(problem.TitleText, read.TitleText);
        Assert.Equal(problem.DetailText, read.DetailText);
        Assert.Equal(("coap://h/errors/7", CoapCode.NotFound, "coap://h/", "en-GB", true),
            (read.Instance, read.ResponseCode, read.BaseUri, read.BaseLanguage, read.BaseIsRightToLeft));
        Assert.Equal("Kein Sensor: לא נמצא", read.ToString());
    }

    [Fact]
    [Rfc("9290-2-1")]
    public void Unknown_entries_are_kept_and_written_again()
    {
        // {-1: "x", -99: [1, 2], 4711: {0: true}, "tag:example.org,2026:a": {"b": null}}
        const string hex = "a4206178386282010219 1267a100f5 767461673a6578616d706c652e6f72672c323032363a61a16162f6";
        CoapProblem problem = Read(hex.Replace(" ", ""));
        Assert.Equal("820102", Wire.Hex(problem.Entries[-99].Span));
        Assert.Equal("a100f5", Wire.Hex(problem.Entries[4711].Span));
        Assert.Equal("a16162f6", Wire.Hex(problem.NamedEntries["tag:example.org,2026:a"].Span));

        // Keys in the order of their bytes: 19 1267, 20, 38 62, 76 ...
        Assert.Equal("a4191267a100f52061783862820102767461673a6578616d706c652e6f72672c323032363a61a16162f6", Wire.Hex(problem.ToBytes()));
    }

    [Theory]
    [InlineData("a12719270f", new[] { 9999 })]
    [InlineData("a1278219270f1908e3", new[] { 9999, 2275 })]
    public void Unprocessed_options_are_a_number_or_an_array(string hex, int[] numbers)
    {
        CoapProblem problem = Read(hex);
        Assert.Equal(numbers, problem.UnprocessedOptions);
        Assert.Equal(hex, Wire.Hex(problem.ToBytes()));
    }

    [Theory]
    [InlineData("a120d826826264656161", "a", "de", null)]
    [InlineData("a120d826836264656161f6", "a", "de", null)]
    [InlineData("a120d826836264656161f5", "a", "de", true)]
    [InlineData("a120d8269f6264656161f4ff", "a", "de", false)]
    [InlineData("bf206161ff", "a", null, null)]
    public void A_text_may_have_a_language_and_a_direction(string hex, string text, string? language, bool? isRightToLeft) =>
        Assert.Equal(new ProblemText(text, language, isRightToLeft), Read(hex).TitleText);

    [Theory]
    [InlineData("")] // nothing
    [InlineData("80")] // an array
    [InlineData("a12001")] // a title that is a number
    [InlineData("a1231903e8")] // a response code above 255
    [InlineData("a12301ff")] // something behind the end
    [InlineData("a220616120616200")] // a title twice, and more
    [InlineData("a2206161206162")] // a title twice
    [InlineData("a14100f6")] // a key of bytes
    [InlineData("a120d82681626465")] // a language without a text
    [InlineData("a120d82684626465616100f5")] // too many parts
    [InlineData("a1261863")] // a direction that is a number
    [InlineData("a1271a00010000")] // an option number above 65535
    [InlineData("a26161a100016161a10002")] // a URI twice
    [InlineData("bf2061")] // the end is missing
    public void Malformed_problem_details_are_refused_and_the_error_names_the_offset(string hex)
    {
        Assert.False(CoapProblem.TryParse(Wire.Hex(hex), out CoapProblem? problem, out string? error));
        Assert.Null(problem);
        error.Mentions("(offset ");
    }

    [Fact]
    public void Keys_that_exceed_64_bits_are_ignored()
    {
        // {-1: "a", -2^64: 0}
        CoapProblem problem = Read("a22061613bffffffffffffffff00");
        Assert.Equal("a", problem.Title);
        Assert.Empty(problem.Entries);
    }

    [Fact]
    public void Invalid_problems_cannot_be_serialized()
    {
        Assert.Throws<InvalidOperationException>(() => new CoapProblem().ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { Entries = { [-1] = Wire.Hex("6161") } }.ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { Entries = { [7] = Wire.Hex("01") } }.ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { Entries = { [0] = Wire.Hex("01") } }.ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { Entries = { [7] = Wire.Hex("a0") } }.ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { Entries = { [-9] = Wire.Hex("0101") } }.ToBytes());
        Assert.Throws<InvalidOperationException>(() => new CoapProblem { NamedEntries = { ["tag:a"] = Wire.Hex("bfff") } }.ToBytes());
    }

    [Fact]
    public void A_problem_result_has_its_code_and_Content_Format()
    {
        CoapResult result = CoapResults.Problem(CoapCode.Conflict, "The lock is open.", "Close it first.");
        Assert.Equal((CoapCode.Conflict, CoapContentFormat.ConciseProblemDetails), (result.Code, result.Options.ContentFormat));
        Assert.Equal("The lock is open.: Close it first.", Read(Wire.Hex(result.Payload.Span)).ToString());
        Assert.Throws<ArgumentException>(() => CoapResults.Problem(CoapCode.Content, "x"));
        Assert.Throws<ArgumentException>(
            () => CoapResults.Problem(CoapCode.Conflict, new CoapProblem { Title = "x", ResponseCode = CoapCode.NotFound }));
    }

    [Fact]
    public async Task A_client_reads_the_problem_of_a_response()
    {
        CoapResponse response =
            await Answer.OfAsync(CoapResults.Status(CoapCode.NotFound, Wire.Hex("a1206161"), CoapContentFormat.ConciseProblemDetails));
        Assert.True(response.TryReadProblem(out CoapProblem? problem));
        Assert.Equal("a", problem.Title);
        Assert.Equal("a", response.ReadProblem().Title);

        CoapResponse text = await Answer.OfAsync(CoapResults.NotFound("a"));
        Assert.False(text.TryReadProblem(out _));
        Assert.Equal(CoapCode.UnsupportedContentFormat, Assert.Throws<CoapContentException>(text.ReadProblem).Code);

        CoapResponse malformed =
            await Answer.OfAsync(CoapResults.Status(CoapCode.NotFound, new byte[] { 1 }, CoapContentFormat.ConciseProblemDetails));
        Assert.False(malformed.TryReadProblem(out _));
        Assert.Equal(CoapCode.BadRequest, Assert.Throws<CoapContentException>(malformed.ReadProblem).Code);
    }

    [Fact]
    public void Random_bytes_are_read_or_refused_without_an_exception()
    {
        Random random = new(9290);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(24)];
            random.NextBytes(bytes);
            if (bytes.Length > 1)
            {
                bytes[0] = (byte)(0xa0 | (bytes[0] & 3));
                bytes[1] = (byte)(0x20 | (bytes[1] & 7));
            }

            if (CoapProblem.TryParse(bytes, out CoapProblem? problem, out string? error))
            {
                Assert.NotNull(problem.ToString());
            }
            else
            {
                Assert.NotEmpty(error);
            }
        }
    }

    private static CoapProblem Read(string hex)
    {
        Assert.True(CoapProblem.TryParse(Wire.Hex(hex), out CoapProblem? problem, out string? error), error);
        return problem;
    }
}
