namespace CoAP.NET;

public static partial class CoapResults
{
    /// <summary>
    /// 4.01 Unauthorized with an Echo: the client repeats the request with the value, which proves that it receives at its address and that
    /// the request is fresh (RFC 9175 section 2.3).
    /// </summary>
    /// <remarks>Return it before any side effect.</remarks>
    /// <returns>The result. Sending adds the value.</returns>
    public static CoapResult FreshnessRequired() => new(CoapCode.Unauthorized) { AsksForEcho = true };
}
