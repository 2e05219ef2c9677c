using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>message_3 and what OSCORE protected in one request (RFC 9668), as far as it is EDHOC's part.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CombinedTests
{
    [Fact]
    [Rfc("9668-3.2-1")]
    public void The_payload_of_the_example_is_message_3_and_the_ciphertext()
    {
        // RFC 9668, the example of section 3.4.
        byte[] payload = Convert.FromHexString("52d5535f3147e85f1cfacd9e78abf9e0a81bbf612f1092f1776f1c1668b3825e");

        ReadOnlyMemory<byte> message3 = CombinedPayload.Read(payload, out ReadOnlyMemory<byte> ciphertext);

        Assert.Equal("52d5535f3147e85f1cfacd9e78abf9e0a81bbf", Convert.ToHexStringLower(message3.Span));
        Assert.Equal("612f1092f1776f1c1668b3825e", Convert.ToHexStringLower(ciphertext.Span));
        Assert.Equal(payload, CombinedPayload.Write(message3.Span, ciphertext.Span));
    }

    [Theory]
    [InlineData("")]
    [InlineData("42abcd")]
    [InlineData("43abcd")]
    [InlineData("18ff")]
    [InlineData("5801ab00")]
    [InlineData("f542abcd00")]
    [Rfc("9668-3.3.1-1")]
    public void A_payload_without_message_3_or_without_anything_behind_it_is_refused(string payload) =>
        Assert.Throws<EdhocException>(() => CombinedPayload.Read(Convert.FromHexString(payload), out _));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9668-3.3.1-2")]
    public async Task The_session_is_found_by_the_kid_and_established_before_OSCORE_goes_on(bool sendsMessage4)
    {
        await using EdhocWorld world = new(options => options.SendsMessage4 = sendsMessage4);
        List<(ReadOnlyMemory<byte> Ciphertext, CoapResult? Refusal)> outcomes = [];
        byte[] kid = [];
        world.Server.MapPost("/combined", async (request, cancellationToken) =>
        {
            outcomes.Add(await world.Edhoc.EstablishAsync(request, kid, cancellationToken));
            return CoapResults.Changed();
        });
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocInitiator initiator = new(Parties.Settings(2), EdhocMethod.StaticStatic, [world.ClientKey], new byte[] { 0x18, 1 });
        initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
        byte[] payload = CombinedPayload.Write(initiator.CreateMessage3([world.ServerKey.Credential]), [1, 2, 3]);

        foreach (byte[] named in new[] { [0x99, 0x99, 0x99], initiator.PeerConnectionId.ToArray(), initiator.PeerConnectionId.ToArray() })
        {
            kid = named;
            await world.RunAsync(() => client.PostAsync($"{EdhocWorld.Uri}/combined", new CoapContent(payload)));
        }

        // An unknown kid, the session's, and the session's once more.
        Assert.Equal([true, sendsMessage4, true], outcomes.Select(static outcome => outcome.Refusal is not null));
        Assert.Equal(sendsMessage4 ? 0 : 3, outcomes[1].Ciphertext.Length);
        Assert.Equal(sendsMessage4 ? 0 : 1, world.Established.Count);
        Assert.Equal((CoapCode.BadRequest, 1), (outcomes[0].Refusal!.Code, outcomes[0].Refusal!.Payload.Span[0]));
    }
}
