using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Requests;

/// <summary>FETCH, PATCH and iPATCH as a client sends them (RFC 8132).</summary>
public sealed class FetchAndPatchTests : ClientTest
{
    [Fact]
    [Rfc("8132-2.3.1-1")]
    public async Task FETCH_is_not_sent_without_a_Content_Format()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => Client.FetchAsync("coap://192.0.2.1/a", new CoapContent("x"u8.ToArray())));
        Transport.HasSentNothing();
        _ = Client.FetchAsync("coap://192.0.2.1/a", CoapContent.Text("x"));
        TakeOne().Hex.Ends("b16110ff78");
    }

    [Fact]
    [Rfc("8132-2-1", "8132-3-5")]
    public async Task A_FETCH_is_retransmitted_and_a_lost_PATCH_fails_with_an_unknown_outcome()
    {
        Task<CoapResponse> fetch = Client.FetchAsync("coap://192.0.2.1/a", CoapContent.Text("x"));
        Sent sent = TakeOne();
        Clock.Advance(FromSeconds(3));
        Assert.Equal(sent, TakeOne());
        Clock.Advance(FromSeconds(100));
        Assert.False((await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(fetch))).IsOutcomeUnknown);
        Clock.Advance(FromMinutes(10));
        Transport.TakeSent();
        Task<CoapResponse> patch = Client.PatchAsync("coap://192.0.2.1/a", CoapContent.Binary(new byte[1], CoapContentFormat.MergePatch));
        TakeOne().Hex.Ends("b1611134ff00");
        Clock.Advance(FromSeconds(100));
        Assert.True((await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(patch))).IsOutcomeUnknown);
    }

    [Theory]
    [Rfc("8132-5-1")]
    [InlineData(51, "1133")]
    [InlineData(52, "1134")]
    public void The_patch_formats_have_their_registered_numbers(int format, string option)
    {
        _ = Client.IPatchAsync("coap://192.0.2.1/a", CoapContent.Binary(new byte[1], new CoapContentFormat((ushort)format)));
        Sent sent = TakeOne();
        Assert.Equal(7, sent.Code);
        sent.Hex.Ends($"b161{option}ff00");
    }
}
