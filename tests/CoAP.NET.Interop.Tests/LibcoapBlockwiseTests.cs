using System.Text.RegularExpressions;
using Server;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client transfers bodies in blocks from and to samples/Server.</summary>
[External(LibcoapClient.Program)]
public sealed partial class LibcoapBlockwiseTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    private const int LargeLength = 2000;

    private static readonly byte[] s_large = Encoding.UTF8.GetBytes(LargeText.Make(LargeLength));

    public static TheoryData<int> Sizes => Bodies.BlockSizes;

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task The_libcoap_client_gets_a_body_blockwise(int size)
    {
        // From verbosity 7 on it writes each message to its standard output.
        (byte[] body, PeerResult result) = await LibcoapClient.TransferAsync(null, "-v", "7", "-b", $"{size}", "-m", "get",
            $"{server.Host}/large");
        Assert.Equal(s_large, body);
        string[] blocks = [.. ReceivedBlock().Matches(result.Output).Select(match => match.Groups["block"].Value).Distinct()];
        Assert.All(blocks, block => Assert.EndsWith($"/{size}", block, Ordinal));
        Assert.Equal((LargeLength + size - 1) / size, blocks.Length);
    }

    [Fact]
    public async Task The_libcoap_client_gets_a_single_block() =>
        Assert.Equal(s_large[192..256], (await LibcoapClient.TransferAsync(null, "-b", "3,64", "-m", "get", $"{server.Host}/large")).Body);

    [Fact]
    public async Task The_libcoap_client_discovers_resources_blockwise() =>
        Assert.Equal(
            (await LibcoapClient.TransferAsync(null, "-m", "get", $"{server.Host}/.well-known/core")).Body,
            (await LibcoapClient.TransferAsync(null, "-b", "32", "-m", "get", $"{server.Host}/.well-known/core")).Body);

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task The_libcoap_client_puts_and_gets_a_body_blockwise(int size)
    {
        byte[] body = Bodies.Make(Bodies.Large, size);
        PeerResult put = (await LibcoapClient.TransferAsync(body, "-b", $"{size}", "-m", "put", $"{server.Host}/large-update")).Result;
        Assert.Equal("", put.Errors);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-b", $"{size}", "-m", "get", $"{server.Host}/large-update")).Body);
    }

    [Theory]
    [InlineData(16)]
    [InlineData(256)]
    [InlineData(1024)]
    public async Task The_libcoap_client_gets_a_large_response_to_a_large_request(int size)
    {
        byte[] answer = (await LibcoapClient.TransferAsync(Bodies.Make(Bodies.Large, size), "-b", $"{size}", "-m", "post",
            $"{server.Host}/large-post")).Body;
        Assert.Equal($"65536 bytes came.\n{LargeText.Make(LargeLength)}", Encoding.UTF8.GetString(answer));
    }

    [Fact]
    public async Task The_libcoap_client_transfers_bodies_blockwise_in_Non_confirmable_messages()
    {
        byte[] body = Bodies.Make(5000, 1);
        PeerResult put = (await LibcoapClient.TransferAsync(body, "-N", "-b", "512", "-m", "put", $"{server.Host}/large-update")).Result;
        Assert.Equal("", put.Errors);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-N", "-b", "512", "-m", "get", $"{server.Host}/large-update")).Body);
    }

    [Fact]
    public async Task A_body_that_is_too_large_is_refused()
    {
        PeerResult result =
            (await LibcoapClient.TransferAsync(new byte[(1024 * 1024) + 1], "-m", "put", $"{server.Host}/large-update")).Result;
        result.Errors.Begins("4.13");
    }

    [GeneratedRegex(@"c:2\.05.*Block2:(?<block>\d+/[M_]/\d+)", RegexOptions.CultureInvariant)]
    private static partial Regex ReceivedBlock();
}
