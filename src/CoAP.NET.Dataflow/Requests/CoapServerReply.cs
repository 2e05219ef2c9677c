namespace CoAP.NET;

/// <summary>The answer of the Resource stage to an exchange, on its way down to the Handler stage.</summary>
public readonly struct CoapServerReply : IReadPausingItem
{
    /// <summary>Creates it.</summary>
    /// <param name="exchange">The exchange.</param>
    /// <param name="result">The answer.</param>
    public CoapServerReply(CoapExchange exchange, CoapResult result)
    {
        ArgumentNullException.ThrowIfNull(exchange);
        ArgumentNullException.ThrowIfNull(result);
        Exchange = exchange;
        Result = result;
    }

    /// <summary>The exchange.</summary>
    public CoapExchange Exchange { get; }

    /// <summary>The answer.</summary>
    public CoapResult Result { get; }

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

    ReadPause IReadPausingItem.ReadPause => new(Exchange.Channel.Pausable);
}
