using System.Threading.RateLimiting;
using CoAP.NET.Settings;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.RateLimiting;

/// <summary>The limiters of an application, created when a request first needs them.</summary>
internal sealed class RateLimiters(IOptions<CoapRateLimitOptions> options) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, PartitionedRateLimiter<CoapRequestContext>> _limiters = new(StringComparer.Ordinal);
    private bool _isDisposed;

    public TimeSpan DefaultRetryAfter => options.Value.MakeReadOnlyFor("a server").DefaultRetryAfter;

    /// <exception cref="InvalidOperationException">There is none with that name.</exception>
    public PartitionedRateLimiter<CoapRequestContext> Get(string name)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (!_limiters.TryGetValue(name, out PartitionedRateLimiter<CoapRequestContext>? limiter))
            {
                Func<PartitionedRateLimiter<CoapRequestContext>> make = options.Value.MakeReadOnlyFor("a server").Find(name)
                    ?? throw new InvalidOperationException(
                        $"There is no rate limit '{name}'. Add it by services.AddCoapRateLimits(options => options.AddLimit(\"{name}\", "
                            + "...)).");
                _limiters[name] = limiter = make();
            }

            return limiter;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            foreach (PartitionedRateLimiter<CoapRequestContext> limiter in _limiters.Values)
            {
                limiter.Dispose();
            }

            _limiters.Clear();
        }
    }
}
