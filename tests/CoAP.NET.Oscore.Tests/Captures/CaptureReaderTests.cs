using CoAP.NET.Oscore.Captures;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Tests.Captures;

public sealed class CaptureReaderTests
{
    private static readonly CoapToken s_token = new([0x4a]);

    private readonly OscoreContext _client = OscoreContext.CreateVolatile(Make([], [1]));
    private readonly OscoreContext _server = OscoreContext.CreateVolatile(Make([1], []));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Requests_and_responses_are_decrypted_with_the_context_of_either_end(bool isServers)
    {
        using OscoreCaptureReader reader = new([new OscoreContextFileEntry("door", isServers ? Make([1], []) : Make([], [1]))]);
        OscoreRequestId id = new([], 20);
        Assert.True(reader.TryRead(Request(id), "a", "b", out CoapMessage? request, out string remark));
        Assert.Equal(CoapCode.Get, request.Code);
        Assert.Equal("tv1", Assert.Single(request.Options.UriPath));
        Assert.Equal("OSCORE 'door': kid (empty), Partial IV 20", remark);
        Assert.True(reader.TryRead(Response(id, null), "b", "a", out CoapMessage? response, out remark));
        Assert.Equal(CoapCode.Content, response.Code);
        Assert.Equal("Hello", Encoding.UTF8.GetString(response.Payload.Span));
        Assert.Equal("OSCORE 'door': Partial IV that of the request, in answer to Partial IV 20", remark);
        Assert.True(reader.TryRead(Response(id, 7), "b", "a", out _, out remark));
        Assert.Equal("OSCORE 'door': Partial IV 7, in answer to Partial IV 20", remark);
    }

    [Fact]
    public void Responses_to_an_earlier_request_with_the_same_token_are_decrypted()
    {
        using OscoreCaptureReader reader = new([new OscoreContextFileEntry(null, Make([], [1]))]);
        OscoreRequestId first = new([], 1);
        OscoreRequestId second = new([], 2);
        Assert.True(reader.TryRead(Request(first), "a", "b", out _, out _));
        Assert.True(reader.TryRead(Request(second), "a", "b", out _, out _));
        Assert.True(reader.TryRead(Response(first, 3), "b", "a", out _, out _));
        Assert.True(reader.TryRead(Response(second, null), "b", "a", out _, out _));
    }

    [Fact]
    public void The_reason_is_given_when_a_message_cannot_be_decrypted()
    {
        using OscoreCaptureReader reader = new([new OscoreContextFileEntry(null, Make([2], [3]))]);
        OscoreRequestId id = new([], 20);
        Assert.False(reader.TryRead(Request(id), "a", "b", out _, out string remark));
        remark.Mentions("No context has this kid");
        Assert.False(reader.TryRead(Response(id, null), "b", "a", out _, out remark));
        remark.Mentions("the request of this response is missing from the capture");
        using OscoreCaptureReader wrong = new([new OscoreContextFileEntry(null, new OscoreParameters([9, 9], [1], []))]);
        Assert.False(wrong.TryRead(Request(id), "a", "b", out _, out remark));
        remark.Mentions("does not verify");
        Assert.False(wrong.TryRead(new CoapMessage(CoapCode.Get), "a", "b", out _, out remark));
        Assert.Empty(remark);
    }

    private CoapMessage Request(OscoreRequestId id)
    {
        CoapMessage request = new(CoapCode.Get) { Token = s_token };
        request.Options.Add(OptionNumber.UriPath, "tv1"u8);
        return OscoreMessageCipher.ProtectRequest(_client, request, id, kidContext: false);
    }

    private CoapMessage Response(OscoreRequestId id, ulong? number) => OscoreMessageCipher.ProtectResponse(
        _server, new CoapMessage(CoapCode.Content) { Token = s_token, Payload = "Hello"u8.ToArray() }, id, number);

    private static OscoreParameters Make(byte[] sender, byte[] recipient) => new([1, 2, 3, 4], sender, recipient);
}
