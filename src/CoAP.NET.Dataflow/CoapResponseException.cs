namespace CoAP.NET;

/// <summary>A peer answered with an error response, and <see cref="CoapResponse.EnsureSuccess"/> was asked to throw.</summary>
public sealed class CoapResponseException : CoapException
{
    internal CoapResponseException(CoapResponse response)
        : base($"The peer answered {response.Code}" + (response.ContentFormat is null && !response.Payload.IsEmpty ? $": {response.GetText()}" : "."))
    {
        Response = response;
    }

    /// <summary>The response, with its diagnostic payload.</summary>
    public CoapResponse Response { get; }
}
