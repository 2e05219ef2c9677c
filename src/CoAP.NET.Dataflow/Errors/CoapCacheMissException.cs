namespace CoAP.NET;

/// <summary>A request was limited to the cache (<see cref="CoapCacheMode.OnlyIfCached"/>), but there is no fresh response.</summary>
/// <remarks>Nothing was sent.</remarks>
public sealed class CoapCacheMissException : CoapException
{
    internal CoapCacheMissException()
        : base("No fresh response to the request is in the cache, and it was to be answered from there only. Send it with another "
            + "CacheMode.")
    {
    }
}
