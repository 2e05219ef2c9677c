namespace CoAP.NET.Tests.Observing;

/// <summary>Servers that do not do all that was asked of them.</summary>
public sealed class FallingBackTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.2-1", "7641-3.3.2-1")]
    public async Task A_2_03_without_Observe_to_a_registration_with_an_ETag_confirms_the_stored_representation()
    {
        (CoapObservation observation, _) = await RegisterAsync(etag: "abcd", maxAge: 20);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(40));

        // It has no room for observers any more, but what we have is right.
        Answer(again, null, string.Empty, maxAge: 100, etag: "abcd", code: CoapCode.Valid);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        Assert.Equal((CoapCode.Content, "one", FromSeconds(100)),
            (observation.Latest!.Code, Text(observation.Latest), observation.Latest.MaxAge));
        (again, _) = NextRequest(FromSeconds(120));
        Assert.Equal("abcd", again.Options.ETag!.Value.ToString());
        Answer(again, 7, string.Empty, etag: "abcd", code: CoapCode.Valid);
        Assert.Equal((CoapObserveState.Observing, "one"), (observation.State, Text(observation.Latest)));
    }

    [Fact]
    public async Task A_2_03_with_an_unknown_ETag_to_a_registration_makes_the_client_fetch_the_representation()
    {
        (CoapObservation observation, _) = await RegisterAsync(etag: "abcd", maxAge: 20);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(40));
        Answer(again, null, string.Empty, etag: "ffff", code: CoapCode.Valid);
        CoapMessage fetch = TakeRequest();
        Assert.Null(fetch.Options.Observe);
        Assert.Null(fetch.Options.ETag);
        Answer(fetch, null, "other");
        await Within(ReadUntilAsync(observation, "other"));
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
    }

    [Fact]
    [Rfc("9175-2.3-3")]
    public async Task The_Echo_of_a_notification_is_sent_in_the_next_message_to_the_server()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 20);
        await using CoapObservation disposed = observation;
        CoapMessage notification = new(CoapCode.Content)
        {
            Type = CoapMessageType.NonConfirmable,
            MessageId = 0x77,
            Token = registration.Token
        };
        notification.Options.Observe = 2;
        notification.Options.MaxAge = FromSeconds(20);
        notification.Options.Echo = Wire.Hex("0102030405060708");
        Receive(notification);
        (CoapMessage again, _) = NextRequest(FromSeconds(40));
        Assert.Equal("0102030405060708", Wire.Hex(again.Options.Echo!.Value.Span));
        Answer(again, 3, "three", maxAge: 20);
        (again, _) = NextRequest(FromSeconds(40));
        Assert.Null(again.Options.Echo);
    }

    [Fact]
    public async Task An_Echo_that_was_answered_without_Observe_is_not_repeated_in_the_next_registration()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 20);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(40));
        CoapMessage challenge = new(CoapCode.Unauthorized)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = again.MessageId,
            Token = again.Token
        };
        challenge.Options.Echo = Wire.Hex("0102030405");
        Receive(challenge);
        CoapMessage second = TakeRequest();
        Assert.Equal("0102030405", Wire.Hex(second.Options.Echo!.Value.Span));

        // As a proxy does: the challenge was of the server behind it.
        Answer(second, null, "plain", maxAge: 20);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        (CoapMessage third, _) = NextRequest(FromHours(2));
        Assert.Equal(0u, third.Options.Observe);
        Assert.Null(third.Options.Echo);
    }
}
