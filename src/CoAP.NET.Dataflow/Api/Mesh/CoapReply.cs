namespace CoAP.NET.Mesh;

/// <summary>The answer of the Resource stage to an exchange, on its way down to the Handler stage.</summary>
/// <param name="Exchange">The exchange.</param>
/// <param name="Result">The answer.</param>
public readonly record struct CoapReply(CoapExchange Exchange, CoapResult Result) : IPausableItem
{
    /// <summary>Creates the response, for a Handler of your own (<see cref="CoapStages.Handler"/>).</summary>
    /// <returns>The response with the token of the request. Set its type and Message ID (RFC 7252 section 4).</returns>
    public CoapMessage ToMessage()
    {
        // A result may answer many requests, so they share its options.
        CoapMessage response = Result.HasOptions && Result.OptionsToRead is { } options
            ? new CoapMessage(Result.Code, options)
            : new CoapMessage(Result.Code);
        response.Token = Exchange.Request.Message.Token;
        response.Payload = Result.Payload;
        return response;
    }

    ReadingHold IPausableItem.Hold => new(Exchange.Channel.Pausable);
}
