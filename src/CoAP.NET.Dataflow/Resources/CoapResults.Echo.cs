namespace CoAP.NET;

public static partial class CoapResults
{
    /// <summary>
    /// 4.01 Unauthorized with an Echo: the client is to repeat the request with the value, and is then known to receive at its address, and
    /// the request to be fresh (RFC 9175 section 2.3). Return it before anything is done.
    /// </summary>
    /// <returns>The result. The value is put in when it is sent.</returns>
    public static CoapResult FreshnessRequired() => new(CoapCode.Unauthorized) { AsksForEcho = true };
}
