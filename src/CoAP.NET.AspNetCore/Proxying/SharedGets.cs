using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Equal GETs that are under way at a time are one, which goes on to fill the cache although whoever came first may have left (RFC 8075
/// section 8.1). Requests of all clients are equal here: nothing of a client but what the key has goes on. Thread-safe.
/// </summary>
/// <param name="inner">What sends requests.</param>
internal sealed class SharedGets(ICoapRequester inner) : ICoapRequester
{
    private readonly ConcurrentDictionary<string, Lazy<Task<CoapResponse>>> _underWay = new(StringComparer.Ordinal);

    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        if (KeyOf(request) is not { } key)
        {
            return inner.SendAsync(request, cancellationToken);
        }

        Lazy<Task<CoapResponse>> flight = _underWay.GetOrAdd(
            key, _ => new Lazy<Task<CoapResponse>>(() => FlyAsync(key, request)));
        return flight.Value.WaitAsync(cancellationToken);
    }

    // Null for what is one client's alone: a change, a condition, or a wish about the cache.
    private static string? KeyOf(CoapRequest request)
    {
        if (request.Method != CoapMethod.Get || request.CacheMode != CoapCacheMode.Default || !request.Payload.IsEmpty
            || request.Options.Contains(OptionNumber.ETag) || request.Options.Contains(OptionNumber.IfMatch)
            || request.Options.Contains(OptionNumber.IfNoneMatch))
        {
            return null;
        }

        StringBuilder key = new(request.GetUri().ToString());
        for (int i = 0; i < request.Options.Count; i++)
        {
            key.Append(CultureInfo.InvariantCulture, $" {request.Options.NumberAt(i)}={Convert.ToHexString(request.Options.ValueAt(i))}");
        }

        return key.ToString();
    }

    private async Task<CoapResponse> FlyAsync(string key, CoapRequest request)
    {
        try
        {
            return await inner.SendAsync(request, CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            // Whoever asks from now on asks the cache.
            _underWay.TryRemove(key, out _);
        }
    }
}
