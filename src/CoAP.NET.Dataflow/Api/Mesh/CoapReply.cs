namespace CoAP.NET.Mesh;

/// <summary>The answer of the Resource stage to an exchange, on its way down to the Handler stage.</summary>
/// <param name="Exchange">The exchange.</param>
/// <param name="Result">The answer.</param>
public readonly record struct CoapReply(CoapExchange Exchange, CoapResult Result) : IPausableItem
{
    ReadingHold IPausableItem.Hold => new(Exchange.Channel.Pausable);
}
