namespace CoAP.NET.Resources;

/// <summary>Where answers of the Resource stage leave: the stage itself, or what stands behind a router of a user.</summary>
internal interface IReplies
{
    /// <summary>Answers a request. Of several answers the first counts.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">The answer.</param>
    /// <param name="error">What was thrown in its place; null for none.</param>
    void Reply(CoapExchange exchange, CoapResult result, Exception? error = null);
}
