using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Protection;

/// <summary>What other implementations sent is verified, and protected again with the same bytes.</summary>
public sealed class CapturedTests
{
    private static readonly byte[] s_secret = Convert.FromHexString("0102030405060708090a0b0c0d0e0f10");

    public static TheoryData<string> Exchanges => [.. CapturedMessage.All.Select(message => message.Exchange).Distinct()];

    [Theory]
    [MemberData(nameof(Exchanges))]
    [Rfc("8613-8-1", "8613-5.4-1")]
    public void Captured_messages_of_other_implementations_verify_and_are_reproduced_in_both_roles(string exchange)
    {
        Dictionary<CoapToken, OscoreRequestId> requests = [];
        foreach (CapturedMessage captured in CapturedMessage.All.Where(message => message.Exchange == exchange))
        {
            OscoreContext client = Context([], [1], captured.IdContext);
            OscoreContext server = Context([1], [], captured.IdContext);
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize(Convert.FromHexString(captured.Wire).AsMemory());
            byte[] option = message.Options.Get<OscoreOption>()!.ToValueArray();
            Assert.True(OscoreOptionValue.TryRead(option, out OscoreOptionValue value));
            CoapMessage? inner;
            CoapMessage again;
            if (captured.IsRequest)
            {
                Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectRequest(server, message, in value, out inner));
                OscoreRequestId id = requests[message.Token] = new OscoreRequestId(value.Kid.ToArray(), value.SequenceNumber);
                again = OscoreMessageCipher.ProtectRequest(client, inner!, id, kidContext: false);
            }
            else
            {
                OscoreRequestId id = requests[message.Token];
                Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectResponse(client, message, in value, id, out inner));
                again = OscoreMessageCipher.ProtectResponse(server, inner!, id, value.HasPartialIv ? value.SequenceNumber : null);
            }

            Assert.Equal(captured.Inner, $"{inner!.Code.Class}.{inner.Code.Detail:00}");
            if (exchange.Contains("Californium", Ordinal) && inner.Options.Observe > 0)
            {
                // It writes the number of a notification inside, which is to be empty there (RFC 8613 section 4.1.3.5.2).
                continue;
            }

            Assert.Equal(Convert.ToHexString(message.Payload.Span), Convert.ToHexString(again.Payload.Span));
            if (captured.IdContext is null)
            {
                Assert.Equal(Convert.ToHexString(option), Convert.ToHexString(again.Options.Get<OscoreOption>()!.ToValueArray()));
            }
        }
    }

    [Fact]
    [Rfc("8613-7.4-2")]
    public void The_replayed_request_of_a_capture_is_refused_by_the_window()
    {
        OscoreReplayWindow window = new(OscoreParameters.DefaultWindowSize);
        List<ulong> refused = [];
        foreach (CapturedMessage captured in CapturedMessage.All
            .Where(one => one is { IsRequest: true, Exchange: "aiocoap and aiocoap" }))
        {
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize(Convert.FromHexString(captured.Wire).AsMemory());
            Assert.True(OscoreOptionValue.TryRead(message.Options.Get<OscoreOption>()!.ToValueArray(), out OscoreOptionValue value));
            if (window.Take(value.SequenceNumber) != OscoreReplayVerdict.Fresh)
            {
                refused.Add(value.SequenceNumber);
            }
        }

        Assert.Equal([4ul], refused);
    }

    private static OscoreContext Context(byte[] sender, byte[] recipient, string? idContext) => OscoreContext.CreateVolatile(
        new OscoreParameters(s_secret, sender, recipient)
        {
            MasterSalt = Convert.FromHexString("9e7ca92223786340"),
            IdContext = idContext is null ? null : Convert.FromHexString(idContext),
        });
}
