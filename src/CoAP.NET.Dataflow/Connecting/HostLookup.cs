using System.Net;
using System.Net.Sockets;
using CoAP.NET.Errors;

namespace CoAP.NET.Connecting;

/// <summary>Finds the addresses of hosts, within the time limit of a request and until the endpoint stops.</summary>
/// <param name="names">Finds the addresses of a name.</param>
/// <param name="environment">Provides the clock.</param>
/// <param name="stopped">Cancelled when the endpoint stops.</param>
internal sealed class HostLookup(CoapNameResolver names, CoapEnvironment environment, CancellationToken stopped)
{
    // Timers take no more than 49 days.
    private static readonly TimeSpan s_longestTimer = TimeSpan.FromDays(40);

    // The address of every name in a browser. No host has this address.
    private static readonly IPAddress[] s_unresolved = [IPAddress.IPv6Any];

    /// <summary>Returns the address of a peer from an address of its host and the port of a URI.</summary>
    /// <exception cref="CoapException">It is the address of a group.</exception>
    public static CoapAddress AddressOf(CoapUri uri, IPAddress address)
    {
        CoapAddress remote = CoapAddress.Of(address, (ushort)uri.Port);
        if (remote.IsMulticast)
        {
            throw new CoapException(uri.Scheme is not ("coap" or "coaps")
                ? $"{uri.Host} is a group, but {uri.Scheme} connects two peers only (RFC 8323 section 8). Give the address of a "
                    + "member, or use coap "
                    + "and SendToGroupAsync."
                : $"{uri.Host} is a group: its members answer one by one, and only to Non-confirmable requests (RFC 7252 section 8.1). Use "
                    + "SendToGroupAsync, or give the address of a member.");
        }

        return remote;
    }

    /// <summary>Returns the addresses of a host that are reachable from a local address: those of its IP version.</summary>
    /// <param name="addresses">The addresses of the host.</param>
    /// <param name="local">The local address; null for any.</param>
    /// <param name="uri">The target, for messages.</param>
    /// <exception cref="CoapException">There is none.</exception>
    public static IPAddress[] Reachable(IPAddress[] addresses, IPAddress? local, CoapUri uri)
    {
        if (local is null || Array.TrueForAll(addresses, address => address.AddressFamily == local.AddressFamily))
        {
            return addresses;
        }

        IPAddress[] reachable = Array.FindAll(addresses, address => address.AddressFamily == local.AddressFamily);
        return reachable.Length > 0
            ? reachable
            : throw new CoapException(
                $"{uri.Host} has no address that can be reached from LocalAddress {local}: they differ in their IP version. Choose another "
                    + "LocalAddress, or none.");
    }

    /// <summary>Returns the addresses of the host of a URI.</summary>
    /// <param name="uri">The URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <param name="onBehalfOf">The client that named the host; null for this endpoint itself.</param>
    /// <returns>At least one address.</returns>
    /// <exception cref="CoapConnectionException">There is none.</exception>
    /// <exception cref="CoapException">Too many lookups for clients are running.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async ValueTask<IPAddress[]> FindAsync(
        CoapUri uri, CancellationToken cancellationToken, CoapQuotaSource? onBehalfOf = null)
    {
        if (uri.Addresses is { } literal)
        {
            return literal;
        }

        if (environment.IsInBrowser)
        {
            // The transport gives the name to the browser, which does not reveal the address.
            return s_unresolved;
        }

        IPAddress[] addresses;
        try
        {
            addresses = await FindUntilStoppedAsync(uri.Host, onBehalfOf, cancellationToken).ConfigureAwait(false);
        }
        catch (SocketException exception)
        {
            throw RequestErrors.NameResolution(uri.Host, exception.SocketErrorCode, exception);
        }

        return addresses.Length > 0 ? addresses : throw RequestErrors.NameResolution(uri.Host, SocketError.NoData);
    }

    /// <summary>Returns the addresses of the host of a URI, within the time limit of a request.</summary>
    /// <param name="uri">The URI.</param>
    /// <param name="method">The method of the request; Empty for a ping.</param>
    /// <param name="limit">The time limit of the whole request.</param>
    /// <param name="started">When it began, in units of 100 ns.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <param name="onBehalfOf">The client that named the host; null for this endpoint itself.</param>
    /// <returns>At least one address.</returns>
    /// <exception cref="CoapTimeoutException">The time limit ended first.</exception>
    /// <exception cref="CoapConnectionException">There is none.</exception>
    /// <exception cref="CoapException">Too many lookups for clients are running.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async ValueTask<IPAddress[]> FindInTimeAsync(
        CoapUri uri, CoapCode method, ClientRequestTimeLimit limit, long started, CancellationToken cancellationToken,
        CoapQuotaSource? onBehalfOf = null)
    {
        if (!limit.IsFinite || uri.HostAddress is not null)
        {
            return await FindAsync(uri, cancellationToken, onBehalfOf).ConfigureAwait(false);
        }

        TimeSpan left = limit.Since(started, environment.Now).Left!.Value;
        using CancellationTokenSource time = new(left < s_longestTimer ? left : s_longestTimer, environment.TimeProvider);
        using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
        try
        {
            return await FindAsync(uri, both.Token, onBehalfOf).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new CoapTimeoutException(
                new TimeoutFacts(
                    CoapTimeoutStep.NameResolution, CoapTimeLimitKind.RequestTimeout, limit.Whole, CoapTimeoutReason.NotSent),
                method,
                $"{uri.Scheme}://{uri.Authority}");
        }
    }

    /// <summary>Resolves the alternative address of a peer (RFC 8323 section 5.5): host and port, with the same scheme.</summary>
    /// <returns>At least one address.</returns>
    /// <exception cref="CoapException">There is none.</exception>
    public async Task<IReadOnlyList<CoapAddress>> FindAlternativeAsync(string scheme, string alternative,
        CancellationToken cancellationToken)
    {
        if (!CoapUri.TryParse($"{scheme}://{alternative}", out CoapUri? uri) || uri.Port == 0 || uri.PathSegments.Count > 0
            || uri.QueryArguments.Count > 0)
        {
            throw new CoapConnectionException(CoapError.ConnectFailed, $"'{alternative}' is not a host with a port.");
        }

        IPAddress[] addresses = await FindAsync(uri, cancellationToken).ConfigureAwait(false);
        return Array.ConvertAll(addresses, address => AddressOf(uri, address));
    }

    private async ValueTask<IPAddress[]> FindUntilStoppedAsync(
        string name, CoapQuotaSource? onBehalfOf, CancellationToken cancellationToken)
    {
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(stopped, cancellationToken);
        try
        {
            return await names.FindAsync(name, onBehalfOf, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && stopped.IsCancellationRequested)
        {
            throw new CoapException(CoapError.EndpointStopped, "The endpoint was stopped before the host name was resolved.");
        }
    }
}
