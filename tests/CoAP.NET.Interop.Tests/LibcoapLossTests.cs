namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client, which fails to send some of its messages (<c>-l</c>), against samples/Server.</summary>
[External(LibcoapClient.Program)]
public sealed class LibcoapLossTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    private const int Runs = 8;
    private const int Length = 16 * 1024;

    // It has sent three times within 9 s at the latest, so that one run of eight fails and all of them once in ten million times.
    [Fact]
    public async Task Single_exchanges_succeed_or_time_out_when_half_of_the_requests_are_lost()
    {
        Task<PeerResult>[] gets = [
            .. Enumerable.Range(0, Runs).Select(_ => LibcoapClient.RunAsync("-l", "50%", "-B", "10", "-m", "get", $"{server.Host}/hello"))];
        Task<PeerResult>[] posts = [.. Enumerable.Range(0, Runs).Select(i =>
            LibcoapClient.RunAsync("-l", "50%", "-B", "10", "-m", "post", "-e", $"body {i}", $"{server.Host}/large-post"))];
        PeerResult[] got = await Task.WhenAll(gets);
        PeerResult[] posted = await Task.WhenAll(posts);
        Assert.All(got, result => Assert.Contains(result.Output, new[] { "hello world!", "" }));
        Assert.Contains(got, result => result.Output.Length > 0);
        Assert.All(posted,
            result => Assert.True(result.Output.Length == 0 || result.Output.StartsWith("6 bytes came.", Ordinal),
                result.Output));
        Assert.Contains(posted, result => result.Output.Length > 0);
        Assert.All(got.Concat(posted), result => Assert.Equal("", result.Errors));
    }

    [Fact]
    public async Task Lost_blocks_are_retransmitted()
    {
        byte[] before = Bodies.Make(Length, 1);
        await LibcoapClient.TransferAsync(before, "-m", "put", $"{server.Host}/obs-load");
        byte[] body = Bodies.Make(Length, 2);
        Task<(byte[] Body, PeerResult Result)> get = LibcoapClient.TransferAsync(null, "-l", "10%", "-m", "get", $"{server.Host}/obs-load");
        Task<(byte[] Body, PeerResult Result)> put = LibcoapClient.TransferAsync(body, "-l", "10%", "-m", "put",
            $"{server.Host}/large-update");
        Assert.Equal("", (await put).Result.Errors);
        Assert.Equal(before, (await get).Body);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-m", "get", $"{server.Host}/large-update")).Body);
    }

    // Its answers are lost too, and what it sends comes twice: but one resource is made.
    [Fact]
    public async Task Loss_and_duplication_in_both_directions_do_not_affect_blockwise_transfers()
    {
        LossyPath toServer = new(loseEvery: 17, doubleEvery: 3);
        LossyPath toClients = new(loseEvery: 19, doubleEvery: 3);
        await using LossyRelay relay = new(server.EndPoint, toServer, toClients);
        byte[] body = Bodies.Make(Length, 3);
        Assert.Equal("", (await LibcoapClient.TransferAsync(body, "-m", "post", relay.Uri("/large-create"))).Result.Errors);

        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-m", "get", relay.Uri("/large-create/1"))).Body);
        Assert.StartsWith("4.04", (await LibcoapClient.RunAsync("-m", "get", $"{server.Host}/large-create/2")).Errors,
            Ordinal);
        Assert.True(toServer.Lost > 0 && toServer.Doubled > 0 && toClients.Lost > 0 && toClients.Doubled > 0);
    }
}
