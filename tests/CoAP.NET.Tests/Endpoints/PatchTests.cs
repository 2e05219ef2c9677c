
namespace CoAP.NET.Tests.Endpoints;

/// <summary>FETCH, PATCH and iPATCH byte by byte, with a resource that patches itself by lines such as <c>a=1</c> (RFC 8132).</summary>
public sealed class PatchTests : EndpointTest
{
    private const string JsonPatch = "1133";
    private SortedDictionary<string, string> _document = new(StringComparer.Ordinal) { ["a"] = "0" };
    private int _patches;

    [Theory]
    [Rfc("8132-3-2", "8132-3-4", "8132-3.4-1", "8132-5-1")]
    [InlineData("06")]
    [InlineData("07")]
    public async Task A_patch_is_applied_or_refused_with_the_code_that_says_why(string method)
    {
        await StartWithDocumentAsync();
        Assert.Equal("60440001", Exchange($"40{method}0001b3646f63{JsonPatch}ff{Hex("a=1;b=2")}"));
        Assert.Equal($"60450002ff{Hex("a=1;b=2")}", Exchange("40010002b3646f63"));
        Assert.Equal("60440003", Exchange($"40{method}0003b3646f631134ff{Hex("b=3")}"));
        Exchange($"40{method}0004b3646f63{JsonPatch}ff7b").Begins("6080");
        Exchange($"40{method}0005b3646f631132ff{Hex("a=1")}").Begins("608f");
        Exchange($"40{method}0006b3646f63ff{Hex("a=1")}").Begins("608f");
        Exchange($"40{method}0007b3646f63{JsonPatch}ff{Hex("z=1")}").Begins("6096");
        Exchange($"40{method}0008b3646f78{JsonPatch}ff{Hex("a=1")}").Begins("6084");
        Exchange($"40{method}0009b3646f63{JsonPatch}ff{Hex("a=" + new string('1', 100))}").Begins("608d");
        Exchange("40020010b3646f63").Begins("6085");
        Assert.Equal($"60450011ff{Hex("a=1;b=3")}", Exchange("40010011b3646f63"));
    }

    [Theory]
    [Rfc("8132-3-1", "8132-3.4-2")]
    [InlineData("06")]
    [InlineData("07")]
    public async Task A_patch_of_which_a_part_fails_changes_nothing_and_says_why(string method)
    {
        await StartWithDocumentAsync();
        string refused = Exchange($"40{method}0001b3646f63{JsonPatch}ff{Hex("a=1;a!0")}");
        refused.Begins("60890001ff");
        Encoding.UTF8.GetString(Wire.Hex(refused[10..])).Mentions("a is 1");
        Assert.Equal($"60450002ff{Hex("a=0")}", Exchange("40010002b3646f63"));
    }

    [Theory]
    [Rfc("8132-3-3", "8132-2.1-3", "8132-3.4-1")]
    [InlineData("06")]
    [InlineData("07")]
    public async Task If_Match_and_If_None_Match_apply_to_PATCH_and_iPATCH(string method)
    {
        await StartWithDocumentAsync();
        Assert.Equal("608c0001", Exchange($"40{method}0001" + "1199" + $"a3646f63{JsonPatch}ff{Hex("a=1")}"));
        Assert.Equal("608c0002", Exchange($"40{method}0002" + "50" + $"63646f63{JsonPatch}ff{Hex("a=1")}"));
        Assert.Equal("60440003", Exchange($"40{method}0003" + "1100" + $"a3646f63{JsonPatch}ff{Hex("a=1")}"));
        Assert.Equal("608c0004", Exchange($"40{method}0004" + "1100" + $"a3646f63{JsonPatch}ff{Hex("a=2")}"));
        Assert.Equal("60440005", Exchange($"40{method}0005" + "10" + $"a3646f63{JsonPatch}ff{Hex("a=2")}"));
    }

    [Fact]
    [Rfc("8132-3-5", "8132-2-1")]
    public async Task A_duplicate_PATCH_is_not_applied_again_and_a_duplicate_FETCH_is_answered_again()
    {
        await StartWithDocumentAsync();
        string patch = $"40060001b3646f63{JsonPatch}ff{Hex("a=1")}";
        Assert.Equal("60440001", Exchange(patch));
        Assert.Equal("60440001", Exchange(patch));
        Assert.Equal(1, _patches);
        string fetch = $"40050002b3646f6310ff{Hex("a")}";
        Assert.Equal($"60450002ff{Hex("1")}", Exchange(fetch));
        Assert.Equal($"60450002ff{Hex("1")}", Exchange(fetch));
        Transport.Receive(Peer, "5" + fetch[1..4] + "0003" + fetch[8..]);
        string answer = Assert.Single(Transport.TakeSent());
        Assert.Equal("5045", answer[..4]);
        answer.Ends($"ff{Hex("1")}");
        Assert.Equal((true, true), (CoapCode.Fetch.IsSafe, CoapCode.Fetch.IsIdempotent));
        Assert.Equal((false, false), (CoapCode.Patch.IsSafe, CoapCode.Patch.IsIdempotent));
        Assert.Equal((false, true), (CoapCode.IPatch.IsSafe, CoapCode.IPatch.IsIdempotent));
    }

    private async Task StartWithDocumentAsync()
    {
        Server.MapGet("/doc", () => new CoapResult(CoapCode.Content, Encoding.UTF8.GetBytes(Text(_document))));
        Server.MapFetch("/doc", request => new CoapResult(CoapCode.Content, Encoding.UTF8.GetBytes(_document[request.GetText()])));
        Server.Map("/doc", [CoapMethod.Patch, CoapMethod.IPatch], Patch)
            .Consumes(CoapContentFormat.JsonPatch, CoapContentFormat.MergePatch);
        await StartAsync();
    }

    // A line sets (a=1) or tests (a!1). Patched is a copy, which takes the place of the document at the end.
    private CoapResult Patch(CoapRequestContext request)
    {
        if (request.CheckPreconditions(new CoapETag([(byte)_patches])) is { } failed)
        {
            return failed;
        }

        SortedDictionary<string, string> copy = new(_document, StringComparer.Ordinal);
        foreach (string line in request.GetText().Split(';'))
        {
            if (line.Length < 3 || line[1] is not ('=' or '!'))
            {
                return CoapResults.BadRequest("not a patch");
            }

            string name = line[..1];
            if (name == "z")
            {
                return CoapResults.UnprocessableEntity("there is no z");
            }

            if (line.Length > 50)
            {
                return CoapResults.RequestEntityTooLarge(50);
            }

            if (line[1] == '!' && copy[name] != line[2..])
            {
                return CoapResults.Conflict($"{name} is {copy[name]}");
            }

            copy[name] = line[2..];
        }

        _document = copy;
        _patches++;
        return CoapResults.Changed();
    }

    private static string Text(SortedDictionary<string, string> document) =>
        string.Join(';', document.Select(item => $"{item.Key}={item.Value}"));

    private static string Hex(string text) => Wire.Hex(Encoding.UTF8.GetBytes(text));
}
