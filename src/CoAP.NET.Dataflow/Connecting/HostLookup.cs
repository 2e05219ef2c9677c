using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Connecting;

/// <summary>Finds the addresses of hosts, for no longer than a request may take and the endpoint lives.</summary>
/// <param name="resolve">Finds the addresses of a name.</param>
/// <param name="environment">For the clock.</param>
/// <param name="stopped">Ends all waiting, as the endpoint was stopped.</param>
internal sealed class HostLookup(
    Func<string, CancellationToken, Task<IPAddress[]>> resolve, CoapEnvironment environment, CancellationToken stopped)
{
    // Timers take no more than 49 days.
    private static readonly TimeSpan s_longestTimer = TimeSpan.FromDays(40);

    /// <summary>The addresses of the host of a URI.</summary>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>One address at least.</returns>
    /// <exception cref="CoapNameResolutionException">There is none.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async ValueTask<IPAddress[]> FindAsync(CoapUri uri, CancellationToken cancellationToken)
    {
        if (uri.Addresses is { } literal)
        {
            return literal;
        }

        IPAddress[] addresses;
        try
        {
            addresses = await UntilStoppedAsync(resolve(uri.Host, cancellationToken), cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException exception)
        {
            throw new CoapNameResolutionException(uri.Host, exception.SocketErrorCode, exception);
        }

        return addresses.Length > 0 ? addresses : throw new CoapNameResolutionException(uri.Host, SocketError.NoData);
    }

    /// <summary>The same within the time limit of a request, whether the resolver looks at its token or not.</summary>
    /// <param name="uri">The URI.</param>
    /// <param name="method">The method of the request; Empty for a ping.</param>
    /// <param name="limit">The time of the whole request.</param>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>One address at least.</returns>
    /// <exception cref="CoapTimeoutException">The time was over first.</exception>
    /// <exception cref="CoapNameResolutionException">There is none.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async ValueTask<IPAddress[]> FindInTimeAsync(
        CoapUri uri, CoapCode method, RequestTime limit, long started, CancellationToken cancellationToken)
    {
        if (!limit.IsFinite || uri.HostAddress is not null)
        {
            return await FindAsync(uri, cancellationToken).ConfigureAwait(false);
        }

        TimeSpan left = limit.Since(started, environment.Now).Left!.Value;
        using CancellationTokenSource time = new(left < s_longestTimer ? left : s_longestTimer, environment.TimeProvider);
        using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
        try
        {
            return await FindAsync(uri, both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new CoapTimeoutException(
                new TimeoutFacts(
                    CoapAwaited.NameResolution, CoapTimeLimit.RequestTimeout, limit.Whole, CoapTimeoutReason.NotSent),
                method,
                $"{uri.Scheme}://{uri.Authority}");
        }
    }

    private async ValueTask<T> UntilStoppedAsync<T>(Task<T> task, CancellationToken cancellationToken)
    {
        if (task.IsCompleted)
        {
            return await task.ConfigureAwait(false);
        }

        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(stopped, cancellationToken);
        try
        {
            return await task.WaitAsync(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && stopped.IsCancellationRequested)
        {
            throw new CoapException("The endpoint was stopped before the host name was resolved.");
        }
    }
}
