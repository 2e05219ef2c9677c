using CoAP.NET.Requests;

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
    public async Task Requests_have_the_tokens_that_the_parameters_want_as_far_as_the_server_takes_them(int? theirs, int length)
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
    public async Task Requests_have_no_longer_tokens_than_we_take_with_their_responses(int ours, int length)
    {
        Options.Limits.MaxTokenLength = ours;
        Options.Parameters = CoapTransmissionParameters.Default with { ExtendedTokenLength = 20 };
        Answer = request => Frames.Reply(request, CoapCode.Content);
        CoapPeer peer = await ConnectAsync(Frames.Csm(null, blocks: false, 300));

        await Within(peer.GetAsync("/x"));

        Assert.Equal(length, Assert.Single(Requests).Token.Length);
    }

    [Fact]
    public async Task State_whose_token_we_would_not_take_back_fails()
    {
        await ConnectAsync(Frames.Csm(null, blocks: false, 300));
        TokenStep step = new(Endpoint.Environment);

        Assert.True(step.Supports(Connection.Channel!, 64));
        CoapTooLargeException error = Assert.Throws<CoapTooLargeException>(() => step.Supports(Connection.Channel!, 65));

        Assert.Equal((65, 64), (error.Size, error.MaxSize));
        Assert.Contains("MaxTokenLength", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    [Rfc("8974-2.2.1-1")]
    public async Task State_that_does_not_fit_the_tokens_of_a_server_fails()
    {
        await ConnectAsync(Frames.Csm(null, blocks: false, 48));
        TokenStep step = new(Endpoint.Environment);

        Assert.True(step.Supports(Connection.Channel!, 48));
        CoapTooLargeException error = Assert.Throws<CoapTooLargeException>(() => step.Supports(Connection.Channel!, 49));

        Assert.Equal((49, 48), (error.Size, error.MaxSize));
    }

    [Fact]
    public async Task To_a_server_without_long_tokens_requests_are_kept_as_any_other()
    {
        await ConnectAsync("00e1");

        Assert.False(new TokenStep(Endpoint.Environment).Supports(Connection.Channel!, 40));
    }
}
