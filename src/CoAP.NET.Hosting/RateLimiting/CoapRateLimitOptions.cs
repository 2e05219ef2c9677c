using System.Threading.RateLimiting;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>The limits of an application by name. Set by <c>services.AddCoapRateLimits(...)</c>.</summary>
[HasSettings]
public sealed partial class CoapRateLimitOptions
{
    private readonly Dictionary<string, Func<PartitionedRateLimiter<CoapRequestContext>>> _limits = new(StringComparer.Ordinal);

    /// <summary>The time to wait if a limiter does not know it, such as a limit of concurrent requests.</summary>
    [TimeRange(1)]
    public partial TimeSpan DefaultRetryAfter { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Adds a limit, or replaces the one with the same name. All routes that require it share it.</summary>
    /// <remarks>
    /// The limiter keeps a partition for each key until it is idle, also for forged addresses. Routes that require it over <c>coap</c> need
    /// <c>RequireAuthorization(policy => policy.RequireVerifiedAddress())</c> before it.
    /// </remarks>
    /// <typeparam name="TKey">The type of the partition key.</typeparam>
    /// <param name="name">The name that routes require.</param>
    /// <param name="partition">
    /// Returns the partition of a request, for example by its <see cref="CoapPeer.Source"/>, with its limit: a
    /// <see cref="RateLimitPartition"/>.
    /// </param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public void AddLimit<TKey>(string name, Func<CoapRequestContext, RateLimitPartition<TKey>> partition)
        where TKey : notnull
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(partition);
        ThrowIfReadOnly();
        _limits[name] = () => PartitionedRateLimiter.Create(partition);
    }

    /// <summary>Adds a limit, or replaces the one with the same name. All routes that require it share it.</summary>
    /// <param name="name">The name that routes require.</param>
    /// <param name="limiter">Creates the limiter, once; the services of the application dispose it.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public void AddLimit(string name, Func<PartitionedRateLimiter<CoapRequestContext>> limiter)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(limiter);
        ThrowIfReadOnly();
        _limits[name] = limiter;
    }

    internal Func<PartitionedRateLimiter<CoapRequestContext>>? Find(string name) => _limits.GetValueOrDefault(name);
}
