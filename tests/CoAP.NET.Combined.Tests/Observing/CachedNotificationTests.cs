using CoAP.NET.Caching;

namespace CoAP.NET.Tests.Observing;

/// <summary>Observations and the cache of the same endpoint: what is known to be current is not asked for (RFC 7641 section 3.3).</summary>
public sealed class CachedNotificationTests : ClientObserveTest
{
    public CachedNotificationTests() => Options.Cache = new CoapCache();

    [Fact]
    [Rfc("7641-2-2")]
    public async Task A_plain_request_is_answered_by_the_newest_notification_while_the_notification_is_fresh()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 100);
        await using CoapObservation disposed = observation;
        await Within(Client.GetAsync(Uri)).Says("one");
        NotifyAcknowledged(registration.Token, 2, "two", maxAge: 30);
        CoapResponse hit = await Within(Client.GetAsync(Uri));
        hit.Says("two");
        Assert.Null(hit.Options.Observe);

        // One that was overtaken changes nothing.
        NotifyAcknowledged(registration.Token, 1, "one", maxAge: 100);
        await Within(Client.GetAsync(Uri)).Says("two");
        Transport.HasSentNothing();
        Clock.Advance(FromSeconds(31));
        Task<CoapResponse> asked = Client.GetAsync(Uri);
        Answer(TakeRequest(), null, "three");
        await Within(asked).Says("three");
    }

    [Fact]
    public async Task Only_a_whole_representation_is_stored()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 100);
        await using CoapObservation disposed = observation;
        CoapMessage first = Block(CoapMessageType.NonConfirmable, 0x5000, registration.Token, "0123456789abcdef", 0, more: true);
        first.Options.Observe = 2;
        Receive(first);
        CoapMessage rest = TakeRequest();
        Receive(Block(CoapMessageType.Acknowledgement, rest.MessageId, rest.Token, "!", 1, more: false));
        await Within(ReadUntilAsync(observation, "0123456789abcdef!"));
        await Within(Client.GetAsync(Uri)).Says("0123456789abcdef!");
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_2_03_notification_makes_the_stored_response_fresh()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(etag: "abcd", maxAge: 10);
        await using CoapObservation disposed = observation;
        Clock.Advance(FromSeconds(9));
        NotifyAcknowledged(registration.Token, 2, string.Empty, maxAge: 50, etag: "abcd", code: CoapCode.Valid);
        Clock.Advance(FromSeconds(40));
        await Within(Client.GetAsync(Uri)).Says("one");
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_request_after_an_error_notification_is_sent_to_the_server()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 1000);
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, string.Empty, code: CoapCode.NotAcceptable);
        Task<CoapResponse> asked = Client.GetAsync(Uri);
        Answer(TakeRequest(), null, "in another format");
        await Within(asked).Says("in another format");
    }

    [Fact]
    public async Task An_observation_with_CacheMode_Bypass_stores_nothing()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(new CoapRequest(CoapMethod.Get, Uri) { CacheMode = CoapCacheMode.Bypass });
        Answer(TakeRequest(), 1, "one");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(0, ((CoapCache)Options.Cache!).Count);
    }

    private static CoapMessage Block(CoapMessageType type, ushort id, CoapToken token, string block, int number, bool more)
    {
        CoapMessage message = new(CoapCode.Content)
        {
            Type = type,
            MessageId = id,
            Token = token,
            Payload = Encoding.UTF8.GetBytes(block)
        };
        message.Options.Block2 = new BlockValue(number, more, 0);
        return message;
    }
}
