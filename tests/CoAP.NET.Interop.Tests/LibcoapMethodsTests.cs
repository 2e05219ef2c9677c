namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's client uses the methods of RFC 8132, Non-confirmable requests and options that nobody knows, against samples/Server.
/// </summary>
[External(LibcoapClient.Program)]
public sealed class LibcoapMethodsTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    private const string Json = "50";
    private const string MergePatch = "52";

    private string Document => $"{server.Host}/document";

    [Fact]
    public async Task FETCH_gets_the_members_that_its_body_selects()
    {
        Assert.Equal("""{"name":"lamp"}""", (await Fetch("""["name","weight"]""")).Output);
        Assert.Equal("{}", (await Fetch("[]")).Output);
        (await Fetch("7")).Errors.Begins("4.22");
        (await Fetch("[")).Errors.Begins("4.00");
    }

    [Fact]
    public async Task A_body_in_an_unknown_format_is_refused()
    {
        Assert.StartsWith("4.15", (await LibcoapClient.RunAsync("-m", "fetch", "-t", "60", "-e", "x", Document)).Errors,
            Ordinal);
        Assert.StartsWith("4.15", (await LibcoapClient.RunAsync("-m", "ipatch", "-t", Json, "-e", "{}", Document)).Errors,
            Ordinal);
    }

    [Theory]
    [InlineData("patch")]
    [InlineData("ipatch")]
    public async Task PATCH_and_iPATCH_change_the_given_members(string method)
    {
        await LibcoapClient.RunAsync("-m", "delete", Document);
        PeerResult result = await LibcoapClient.RunAsync("-m", method, "-t", MergePatch, "-e",
            """{"on":true,"level":null,"room":"attic"}""", Document);
        Assert.Equal(("", ""), (result.Output, result.Errors));
        Assert.Equal("""{"name":"lamp","on":true,"room":"attic"}""", (await LibcoapClient.RunAsync("-m", "get", Document)).Output);

        // What cannot be applied changes nothing.
        Assert.StartsWith("4.00", (await LibcoapClient.RunAsync("-m", method, "-t", MergePatch, "-e", "{", Document)).Errors,
            Ordinal);
        Assert.StartsWith("4.22", (await LibcoapClient.RunAsync("-m", method, "-t", MergePatch, "-e", "7", Document)).Errors,
            Ordinal);
        Assert.Equal("""{"on":true,"room":"attic"}""", (await Fetch("""["on","room"]""")).Output);
    }

    [Fact]
    public async Task Every_method_works_in_Non_confirmable_messages()
    {
        await LibcoapClient.RunAsync("-N", "-m", "delete", Document);
        await LibcoapClient.RunAsync("-N", "-m", "ipatch", "-t", MergePatch, "-e", """{"level":8}""", Document);
        Assert.Equal("""{"level":8}""",
            (await LibcoapClient.RunAsync("-N", "-m", "fetch", "-t", Json, "-e", """["level"]""", Document)).Output);
        await LibcoapClient.RunAsync("-N", "-m", "put", "-t", "0", "-e", "by NON", $"{server.Host}/test");
        Assert.Equal("by NON", (await LibcoapClient.RunAsync("-N", "-m", "get", $"{server.Host}/test")).Output);
        await LibcoapClient.RunAsync("-N", "-m", "post", "-t", "0", "-e", "again", $"{server.Host}/test");
        Assert.Equal("again", (await LibcoapClient.RunAsync("-N", "-m", "get", $"{server.Host}/test")).Output);
    }

    // It drops a 4.02 that repeats the option it was sent for, since the option is critical and unknown to itself too; ours does not repeat
    // it.
    [Fact]
    public async Task An_unknown_critical_option_is_refused_and_an_unknown_elective_option_is_ignored()
    {
        Assert.StartsWith("4.02", (await LibcoapClient.RunAsync("-m", "get", "-O", "65001,0x00", $"{server.Host}/hello")).Errors,
            Ordinal);
        Assert.Equal("hello world!", (await LibcoapClient.RunAsync("-m", "get", "-O", "65002,0x00", $"{server.Host}/hello")).Output);
    }

    // RFC 7252 section 5.4.1: such a Non-confirmable message is rejected, by a Reset or in silence.
    [Fact]
    public async Task A_Non_confirmable_request_with_an_unknown_critical_option_gets_no_representation()
    {
        PeerResult result = await LibcoapClient.RunAsync("-v", "7", "-B", "2", "-N", "-m", "get", "-O", "65001,0x00",
            $"{server.Host}/hello");
        result.Output.Mentions("t:NON c:GET");
        result.Output.Omits("hello world!");
        result.Output.Omits("c:2.05");
    }

    private Task<PeerResult> Fetch(string body) => LibcoapClient.RunAsync("-m", "fetch", "-t", Json, "-e", body, Document);
}
