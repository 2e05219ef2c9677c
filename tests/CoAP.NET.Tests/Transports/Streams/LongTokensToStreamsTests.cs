using CoAP.NET.RequestSteps;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>RFC 8974 section 2.2.1, in the role of a client: nothing is found out by trying.</summary>
public class LongTokensToStreamsTests : ScriptedServerTest
{
    [Theory]
    [Rfc("8974-2.2.1-1")]
    [InlineData(null, 4)]
    [InlineData(8, 4)]
    [InlineData(16, 16)]
    [InlineData(20, 20)]
    [InlineData(300, 20)]
    public async Task Requests_use_ExtendedTokenLength_up_to_the_limit_of_the_server(int? theirs, int length)
    {
        Options.Parameters = CoapTransmissionParameters.Default with { ExtendedTokenLength = 20 };
        Answer = request => Frames.Reply(request, CoapCode.Content);
        CoapPeer peer = await ConnectAsync(Frames.Csm(null, blocks: false, theirs));

        await Within(peer.GetAsync("/x"));
        await Within(peer.SendAsync(new CoapRequest(CoapMethod.Get, "/x") { Confirmable = false }));

        Assert.Equal([length, length], Requests.Select(request => request.Token.Length));
    }

    [Theory]
    [InlineData(8, 4)]
    [InlineData(16, 16)]
    public async Task Requests_use_no_tokens_longer_than_their_own_MaxTokenLength(int ours, int length)
    {
        Options.Limits.Messages.MaxTokenLength = ours;
        Options.Parameters = CoapTransmissionParameters.Default with { ExtendedTokenLength = 20 };
        Answer = request => Frames.Reply(request, CoapCode.Content);
        CoapPeer peer = await ConnectAsync(Frames.Csm(null, blocks: false, 300));

        await Within(peer.GetAsync("/x"));

        Assert.Equal(length, Assert.Single(Requests).Token.Length);
    }

    [Fact]
    public async Task A_stateless_token_above_the_own_MaxTokenLength_fails_with_TooLarge()
    {
        await ConnectAsync(Frames.Csm(null, blocks: false, 300));
        ExtendedTokenRequestStep step = new(Endpoint.Environment);

        Assert.True(step.Supports(Connection.Channel!, 64));
        CoapException error = Failure.Of(CoapError.TooLarge, () => step.Supports(Connection.Channel!, 65));

        error.Mentions("token of 65 bytes, and this endpoint accepts at most 64");
        error.Mentions("MaxTokenLength");
    }

    [Fact]
    [Rfc("8974-2.2.1-1")]
    public async Task A_stateless_token_above_the_limit_of_the_server_fails_with_TooLarge()
    {
        await ConnectAsync(Frames.Csm(null, blocks: false, 48));
        ExtendedTokenRequestStep step = new(Endpoint.Environment);

        Assert.True(step.Supports(Connection.Channel!, 48));
        CoapException error = Failure.Of(CoapError.TooLarge, () => step.Supports(Connection.Channel!, 49));

        error.Mentions("at most 48");
    }

    [Fact]
    public async Task A_server_without_extended_tokens_gets_no_stateless_tokens()
    {
        await ConnectAsync("00e1");

        Assert.False(new ExtendedTokenRequestStep(Endpoint.Environment).Supports(Connection.Channel!, 40));
    }
}
