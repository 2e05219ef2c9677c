using System.Net;
using System.Runtime.CompilerServices;
using CoAP.NET.Endpoints;
using CoAP.NET.ResourceDirectory.Clients;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory;

/// <summary>A client of a resource directory (RFC 9176): it finds the directory, and looks up registered endpoints and resources.</summary>
/// <remarks><see cref="CoapRegistration"/> keeps an endpoint registered. Immutable, and thread-safe.</remarks>
public sealed class CoapDirectoryClient
{
    /// <summary>The group of all CoRE Resource Directories of the local link, over IPv6 (RFC 9176 section 9.5).</summary>
    public static CoapUri LinkLocalGroup { get; } = CoapUri.Parse("coap://[ff02::fe]");

    /// <summary>The group of all CoRE Resource Directories of the site, over IPv6 (RFC 9176 section 9.5).</summary>
    public static CoapUri SiteLocalGroup { get; } = CoapUri.Parse("coap://[ff05::fe]");

    /// <summary>The group of all CoRE Resource Directories, over IPv4 (RFC 9176 section 9.5).</summary>
    public static CoapUri IPv4Group { get; } = CoapUri.Parse("coap://224.0.1.190");

    private readonly ICoapClient _client;
    private readonly ResolvedDirectoryHost _host;
    private readonly CoapDirectoryClientOptions _options;

    /// <summary>Creates a directory from known URIs, without a search.</summary>
    /// <param name="client">The client that sends the requests.</param>
    /// <param name="registration">The URI for registrations, such as <c>coap://rd.example/rd</c>; null if not needed.</param>
    /// <param name="resourceLookup">The URI for resource lookups; null if not needed.</param>
    /// <param name="endpointLookup">The URI for endpoint lookups; null if not needed.</param>
    /// <param name="options">The options of lookups; null for the defaults.</param>
    public CoapDirectoryClient(ICoapClient client, CoapUri? registration, CoapUri? resourceLookup = null,
        CoapUri? endpointLookup = null, CoapDirectoryClientOptions? options = null)
        : this(client, new ResolvedDirectoryHost(null, null), options ?? CoapDirectoryClientOptions.Default)
    {
        Registration = registration;
        ResourceLookup = resourceLookup;
        EndpointLookup = endpointLookup;
    }

    /// <inheritdoc cref="CoapDirectoryClient(ICoapClient, CoapUri, CoapUri, CoapUri, CoapDirectoryClientOptions)"/>
    /// <exception cref="CoapFormatException">A text is not a URI.</exception>
    public CoapDirectoryClient(ICoapClient client, string? registration, string? resourceLookup = null, string? endpointLookup = null,
        CoapDirectoryClientOptions? options = null)
        : this(client, FromString(registration), FromString(resourceLookup), FromString(endpointLookup), options)
    {
    }

    private CoapDirectoryClient(ICoapClient client, ResolvedDirectoryHost host, CoapDirectoryClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(client);
        _client = client;
        _host = host;
        _options = options;
    }

    /// <summary>The URI for registrations; null if the directory reported none.</summary>
    public CoapUri? Registration { get; private init; }

    /// <summary>The URI for resource lookups; null if the directory reported none.</summary>
    public CoapUri? ResourceLookup { get; private init; }

    /// <summary>The URI for endpoint lookups; null if the directory reported none.</summary>
    public CoapUri? EndpointLookup { get; private init; }

    /// <summary>
    /// The address of the queried name that answered; null if the directory was found by address, over a connection or by a group, or was
    /// not searched.
    /// </summary>
    public IPAddress? Address => _host.Address;

    internal ResolvedDirectoryHost Host => _host;

    /// <summary>Finds a directory by its host, with <c>/.well-known/core?rt=core.rd*</c> (RFC 9176 section 4.3).</summary>
    /// <remarks>
    /// For a name, the client queries all addresses, one every 2 s until one answers; for a
    /// group it uses the first member that answers. The directory may report URIs with other schemes and hosts.
    /// </remarks>
    /// <param name="client">A <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/> or a client of a host.</param>
    /// <param name="uri">Scheme, host and port, such as <c>coap://rd.example</c>, or a group such as <see cref="LinkLocalGroup"/>; a path
    /// is ignored. The empty string means the base address of the client.</param>
    /// <param name="options">The options of the search and of lookups; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The directory, with at least one of its URIs.</returns>
    /// <exception cref="ArgumentException">The URI is not a CoAP URI, or the client has no base address for a relative one.</exception>
    /// <exception cref="CoapDirectoryException">Hosts answered, but none is a directory; or no member of the group answered.</exception>
    /// <exception cref="CoapException">No host answered; the derived type says why.</exception>
    public static async Task<CoapDirectoryClient> DiscoverAsync(ICoapClient client, CoapUri uri,
        CoapDirectoryClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        IEndpointClient sender = IEndpointClient.Of(client);
        CoapUri asked = Resolve(sender, uri, nameof(uri));
        options ??= CoapDirectoryClientOptions.Default;
        if (!DirectoryDiscovery.IsGroup(asked))
        {
            DirectoryFinder search = new(sender, sender.Endpoint.Core.Hosts, asked, options);
            return await search.FindAsync(cancellationToken).ConfigureAwait(false);
        }

        await foreach (CoapDirectoryClient found in DiscoverAllAsync(client, uri, options, cancellationToken).ConfigureAwait(false))
        {
            return found;
        }

        throw new CoapDirectoryException(
            $"No resource directory answered at {uri} within {options.Timeout.TotalSeconds:0.#} s. Either there is none on this link, or "
                + "multicast does not get through: choose the interface with CoapDirectoryClientOptions.Group, or use the host of the "
                + "directory.");
    }

    /// <inheritdoc cref="DiscoverAsync(ICoapClient, CoapUri, CoapDirectoryClientOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<CoapDirectoryClient> DiscoverAsync(ICoapClient client, string uri,
        CoapDirectoryClientOptions? options = null, CancellationToken cancellationToken = default) =>
        DiscoverAsync(client, CoapUri.FromString(uri), options, cancellationToken);

    /// <summary>Finds all directories that answer at a group (RFC 9176 section 4.1).</summary>
    /// <param name="client">A <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/> or a client of a host.</param>
    /// <param name="group">The group, such as <see cref="LinkLocalGroup"/> or <c>coap://[ff02::fe%25eth0]</c>.</param>
    /// <param name="options">The time for responses, and the interface of the group request; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The directories as they answer, each once; other members are skipped. Leaving the loop ends the search.</returns>
    /// <exception cref="ArgumentException">The URI does not name a group.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent to the group.</exception>
    public static IAsyncEnumerable<CoapDirectoryClient> DiscoverAllAsync(ICoapClient client, CoapUri group,
        CoapDirectoryClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        group = Resolve(IEndpointClient.Of(client), group, nameof(group));
        options ??= CoapDirectoryClientOptions.Default;
        return ReadAllAsync(client,
            client.DiscoverGroupAsync(
                CoapUri.OriginOf(group.ToString()), DirectoryDiscovery.Filter, options.Timeout, options.Group, cancellationToken),
            options, cancellationToken);
    }

    /// <inheritdoc cref="DiscoverAllAsync(ICoapClient, CoapUri, CoapDirectoryClientOptions, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static IAsyncEnumerable<CoapDirectoryClient> DiscoverAllAsync(ICoapClient client, string group,
        CoapDirectoryClientOptions? options = null, CancellationToken cancellationToken = default) =>
        DiscoverAllAsync(client, CoapUri.FromString(group), options, cancellationToken);

    /// <summary>Looks up resources: links that endpoints have registered (RFC 9176 section 6).</summary>
    /// <param name="query">The criteria; null for all.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The links, with absolute targets, in the order of the directory; empty if nothing matches. Each enumeration sends the
    /// request again.</returns>
    /// <exception cref="ArgumentException">A criterion is invalid.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such lookup, answered with an error, or returned
    /// more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no response, or it is malformed.</exception>
    public IAsyncEnumerable<CoapLink> FindResourcesAsync(CoapDirectoryQuery? query = null, CancellationToken cancellationToken = default) =>
        Lookup(ResourceLookup, "resources", query).FindAsync(cancellationToken);

    /// <summary>Looks up registered endpoints (RFC 9176 section 6).</summary>
    /// <param name="query">The criteria; null for all.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The endpoints, in the order of the directory; empty if nothing matches. Each enumeration sends the request again.</returns>
    /// <exception cref="ArgumentException">A criterion is invalid.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such lookup, answered with an error, or returned
    /// more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no response, or it is malformed.</exception>
    public IAsyncEnumerable<CoapDirectoryEndpoint> FindEndpointsAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            ToEndpointsAsync(Lookup(EndpointLookup, "endpoints", query).FindAsync(cancellationToken), cancellationToken);

    /// <summary>Watches the registered resources: observes the lookup (RFC 9176 section 6, RFC 7641).</summary>
    /// <remarks>
    /// It continues until the caller leaves it, even while the directory is unreachable; it queries a directory that does not notify again
    /// after Max-Age of its response.
    /// </remarks>
    /// <param name="query">The criteria; null for all.</param>
    /// <param name="cancellationToken">Stops watching.</param>
    /// <returns>The changes; first the initial results.</returns>
    /// <exception cref="ArgumentException">A criterion is invalid.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such lookup, first answered with an error, or
    /// returned more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no first response, or a response is malformed.</exception>
    public IAsyncEnumerable<CoapDirectoryChange<CoapLink>> WatchResourcesAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            Lookup(ResourceLookup, "resources", query).WatchAsync(cancellationToken);

    /// <summary>Watches the registered endpoints; see <see cref="WatchResourcesAsync"/>.</summary>
    /// <param name="query">The criteria; null for all.</param>
    /// <param name="cancellationToken">Stops watching.</param>
    /// <returns>The changes; first the initial results.</returns>
    /// <exception cref="ArgumentException">A criterion is invalid.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such lookup, first answered with an error, or
    /// returned more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no first response, or a response is malformed.</exception>
    public IAsyncEnumerable<CoapDirectoryChange<CoapDirectoryEndpoint>> WatchEndpointsAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            ToEndpointsAsync(Lookup(EndpointLookup, "endpoints", query).WatchAsync(cancellationToken), cancellationToken);

    /// <summary>Returns the URI of the directory, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => (Registration ?? ResourceLookup ?? EndpointLookup)?.ToString() ?? "no places";

    /// <summary>Reads the directory from the links of a host.</summary>
    /// <returns>The directory; null if there is none.</returns>
    internal static CoapDirectoryClient? TryRead(ICoapClient client, ResolvedDirectoryHost host, CoapDirectoryClientOptions options,
        CoapUri origin, IReadOnlyList<CoapLink> links)
    {
        CoapDirectoryClient directory = new(client, host, options)
        {
            Registration = DirectoryDiscovery.Find(links, DirectoryDiscovery.Registration, origin),
            ResourceLookup = DirectoryDiscovery.Find(links, DirectoryDiscovery.ResourceLookup, origin),
            EndpointLookup = DirectoryDiscovery.Find(links, DirectoryDiscovery.EndpointLookup, origin),
        };
        return directory.Registration is null && directory.ResourceLookup is null && directory.EndpointLookup is null ? null : directory;
    }

    /// <summary>Returns the URI that a text means for a client.</summary>
    /// <param name="client">The client, whose base address completes a relative URI.</param>
    /// <param name="uri">The text.</param>
    /// <param name="parameter">The name of the parameter with the text.</param>
    /// <exception cref="ArgumentException">The text is not a CoAP URI.</exception>
    internal static CoapUri Resolve(IEndpointClient client, CoapUri uri, string parameter)
    {
        ArgumentNullException.ThrowIfNull(uri, parameter);
        CoapUri resolved = client.BaseAddress is { } origin ? origin.ResolveReference(uri) : uri;
        CoapUri.RequireCoap(resolved, parameter);
        return resolved;
    }

    private static CoapUri? FromString(string? uri) => uri is null ? null : CoapUri.FromString(uri);

    private static async IAsyncEnumerable<CoapDirectoryClient> ReadAllAsync(ICoapClient client,
        IAsyncEnumerable<CoapGroupMemberLinks> members, CoapDirectoryClientOptions options,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ResolvedDirectoryHost host = new(null, null);
        await foreach (CoapGroupMemberLinks member in members.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            if (TryRead(client, host, options, member.Uri, member.Links) is { } found)
            {
                yield return found;
            }
        }
    }

    private static async IAsyncEnumerable<CoapDirectoryEndpoint> ToEndpointsAsync(IAsyncEnumerable<CoapLink> links,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapLink link in links.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            yield return new CoapDirectoryEndpoint(link);
        }
    }

    private static async IAsyncEnumerable<CoapDirectoryChange<CoapDirectoryEndpoint>> ToEndpointsAsync(
        IAsyncEnumerable<CoapDirectoryChange<CoapLink>> changes, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapDirectoryChange<CoapLink> change in changes.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            yield return new CoapDirectoryChange<CoapDirectoryEndpoint>(change.Kind, new CoapDirectoryEndpoint(change.Item));
        }
    }

    private ClientDirectoryLookup Lookup(CoapUri? place, string what, CoapDirectoryQuery? query) =>
        new(_client, _host, place, what, query ?? CoapDirectoryQuery.Everything, _options);
}
