namespace CoAP.NET.Resources;

/// <summary>Sends the responses of the Resource stage: the stage itself, or a target behind a user's router.</summary>
internal interface IResponseSender
{
    /// <summary>Responds to a request. If there are several responses, the first one counts.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">The answer.</param>
    /// <param name="error">The exception that was thrown instead; null for none.</param>
    void Reply(CoapExchange exchange, CoapResult result, Exception? error = null);
}
