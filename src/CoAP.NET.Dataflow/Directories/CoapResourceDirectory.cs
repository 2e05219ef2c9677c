using System.Net;
using System.Runtime.CompilerServices;
using CoAP.NET.Directories;

namespace CoAP.NET;

/// <summary>
/// A resource directory, as its clients see it (RFC 9176): it is found, and then asked which endpoints and resources are registered. What
/// keeps an endpoint registered is a <see cref="CoapRegistration"/>. Immutable, and safe for several threads.
/// </summary>
public sealed class CoapResourceDirectory
{
    /// <summary>All CoRE Resource Directories of the own link, by IPv6 (RFC 9176 section 9.5).</summary>
    public const string LinkLocalGroup = "coap://[ff02::fe]";

    /// <summary>All CoRE Resource Directories of the site, by IPv6 (RFC 9176 section 9.5).</summary>
    public const string SiteLocalGroup = "coap://[ff05::fe]";

    /// <summary>All CoRE Resource Directories, by IPv4 (RFC 9176 section 9.5).</summary>
    public const string IPv4Group = "coap://224.0.1.190";

    private readonly CoapClient _client;
    private readonly DirectoryHost _host;
    private readonly CoapDirectoryClientOptions _options;

    /// <summary>Makes one of places that are known, so that nothing has to be looked for.</summary>
    /// <param name="client">Who asks.</param>
    /// <param name="registration">Where endpoints register, such as <c>coap://rd.example/rd</c>; null when that is not needed.</param>
    /// <param name="resourceLookup">Where resources are looked up; null when that is not needed.</param>
    /// <param name="endpointLookup">Where endpoints are looked up; null when that is not needed.</param>
    /// <param name="options">How it is asked; null for the defaults.</param>
    public CoapResourceDirectory(CoapClient client, CoapUri? registration, CoapUri? resourceLookup = null, CoapUri? endpointLookup = null,
        CoapDirectoryClientOptions? options = null)
        : this(client, new DirectoryHost(null, null), options ?? CoapDirectoryClientOptions.Default)
    {
        Registration = registration;
        ResourceLookup = resourceLookup;
        EndpointLookup = endpointLookup;
    }

    private CoapResourceDirectory(CoapClient client, DirectoryHost host, CoapDirectoryClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(client);
        _client = client;
        _host = host;
        _options = options;
    }

    /// <summary>Where endpoints register; null when the directory did not say.</summary>
    public CoapUri? Registration { get; private init; }

    /// <summary>Where resources are looked up; null when the directory did not say.</summary>
    public CoapUri? ResourceLookup { get; private init; }

    /// <summary>Where endpoints are looked up; null when the directory did not say.</summary>
    public CoapUri? EndpointLookup { get; private init; }

    /// <summary>The address that answered, of the name that was asked; null when it was found by address, by a connection or by a group, or
    /// was not looked for.</summary>
    public IPAddress? Address => _host.Address;

    internal DirectoryHost Host => _host;

    /// <summary>
    /// Finds a directory by its host: asks <c>/.well-known/core?rt=core.rd*</c> (RFC 9176 section 4.3). Of a name all addresses are asked,
    /// one after the other (<see cref="CoapDirectoryClientOptions.NextAddressAfter"/>); of a group the first member that answers is taken.
    /// The directory may name places of other schemes and on other hosts.
    /// </summary>
    /// <param name="client">Who asks.</param>
    /// <param name="uri">Scheme, host and port, such as <c>coap://rd.example</c>, or a group such as <see cref="LinkLocalGroup"/>; a path
    /// is ignored.</param>
    /// <param name="options">How it is looked for and asked; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The directory; one of its places is known at least.</returns>
    /// <exception cref="ArgumentException">The URI is no absolute CoAP URI.</exception>
    /// <exception cref="CoapDirectoryException">Hosts answered, and none is a directory; or no member of the group answered.</exception>
    /// <exception cref="CoapException">Nobody answered; the derived type says why.</exception>
    public static async Task<CoapResourceDirectory> DiscoverAsync(CoapClient client, string uri, CoapDirectoryClientOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        CoapUri asked = Parse(uri);
        options ??= CoapDirectoryClientOptions.Default;
        if (!DirectoryLinks.IsGroup(asked))
        {
            DirectorySearch search = new(client, client.Endpoint.Core.Hosts, asked, options);
            return await search.FindAsync(cancellationToken).ConfigureAwait(false);
        }

        await foreach (CoapResourceDirectory found in DiscoverAllAsync(client, uri, options, cancellationToken).ConfigureAwait(false))
        {
            return found;
        }

        throw new CoapDirectoryException(
            $"No resource directory answered at {uri} within {options.Timeout.TotalSeconds:0.#} s. Either there is none on this link, or "
                + "multicast does not get through: choose the interface by CoapDirectoryClientOptions.Group, or give the host of the "
                + "directory.");
    }

    /// <summary>Finds all directories that answer at a group (RFC 9176 section 4.1).</summary>
    /// <param name="client">Who asks.</param>
    /// <param name="group">The group, such as <see cref="LinkLocalGroup"/> or <c>coap://[ff02::fe%25eth0]</c>.</param>
    /// <param name="options">For how long answers are taken, and by which interface the group is asked; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The directories as they answer, each once; members that are none are passed over. Who asks no further ends the
    /// search.</returns>
    /// <exception cref="ArgumentException">The URI is not that of a group.</exception>
    /// <exception cref="CoapException">While enumerating: the group cannot be asked.</exception>
    public static IAsyncEnumerable<CoapResourceDirectory> DiscoverAllAsync(CoapClient client, string group,
        CoapDirectoryClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        _ = Parse(group);
        options ??= CoapDirectoryClientOptions.Default;
        return ReadAllAsync(client,
            client.DiscoverGroupAsync(CoapUri.OriginOf(group), DirectoryLinks.Filter, options.Timeout, options.Group, cancellationToken),
            options, cancellationToken);
    }

    /// <summary>Looks up resources: links that endpoints have registered (RFC 9176 section 6).</summary>
    /// <param name="query">Which; null for all.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The links, with absolute targets, as the directory orders them; none when nothing matches. Each enumeration asks
    /// anew.</returns>
    /// <exception cref="ArgumentException">A criterion is none.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such look-up, answered with an error, or gave more
    /// results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no answer, or none that can be read.</exception>
    public IAsyncEnumerable<CoapLink> FindResourcesAsync(CoapDirectoryQuery? query = null, CancellationToken cancellationToken = default) =>
        Lookup(ResourceLookup, "resources", query).FindAsync(cancellationToken);

    /// <summary>Looks up endpoints that are registered (RFC 9176 section 6).</summary>
    /// <param name="query">Which; null for all.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The endpoints, as the directory orders them; none when nothing matches. Each enumeration asks anew.</returns>
    /// <exception cref="ArgumentException">A criterion is none.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such look-up, answered with an error, or gave more
    /// results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no answer, or none that can be read.</exception>
    public IAsyncEnumerable<CoapDirectoryEndpoint> FindEndpointsAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            ToEndpointsAsync(Lookup(EndpointLookup, "endpoints", query).FindAsync(cancellationToken), cancellationToken);

    /// <summary>
    /// Watches which resources are registered: observes the look-up (RFC 9176 section 6, RFC 7641). Goes on until it is left, also while
    /// the directory is away; a directory that does not notify is asked again when Max-Age of its answer is over.
    /// </summary>
    /// <param name="query">Which; null for all.</param>
    /// <param name="cancellationToken">Stops watching.</param>
    /// <returns>What came, changed and went; first everything that is there.</returns>
    /// <exception cref="ArgumentException">A criterion is none.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such look-up, answered first with an error, or gave
    /// more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no first answer, or an answer cannot be read.</exception>
    public IAsyncEnumerable<CoapDirectoryChange<CoapLink>> WatchResourcesAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            Lookup(ResourceLookup, "resources", query).WatchAsync(cancellationToken);

    /// <summary>Watches which endpoints are registered; see <see cref="WatchResourcesAsync"/>.</summary>
    /// <param name="query">Which; null for all.</param>
    /// <param name="cancellationToken">Stops watching.</param>
    /// <returns>What came, changed and went; first everything that is there.</returns>
    /// <exception cref="ArgumentException">A criterion is none.</exception>
    /// <exception cref="CoapDirectoryException">While enumerating: the directory has no such look-up, answered first with an error, or gave
    /// more results than <see cref="CoapDirectoryClientOptions.MaxResults"/>.</exception>
    /// <exception cref="CoapException">While enumerating: there was no first answer, or an answer cannot be read.</exception>
    public IAsyncEnumerable<CoapDirectoryChange<CoapDirectoryEndpoint>> WatchEndpointsAsync(CoapDirectoryQuery? query = null,
        CancellationToken cancellationToken = default) =>
            ToEndpointsAsync(Lookup(EndpointLookup, "endpoints", query).WatchAsync(cancellationToken), cancellationToken);

    /// <summary>Its places, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => (Registration ?? ResourceLookup ?? EndpointLookup)?.ToString() ?? "no places";

    /// <summary>What a host said of its directory.</summary>
    /// <param name="client">Who asks.</param>
    /// <param name="host">The host.</param>
    /// <param name="options">How it is asked.</param>
    /// <param name="origin">What the links are relative to.</param>
    /// <param name="links">The links.</param>
    /// <returns>The directory; null when there is none.</returns>
    internal static CoapResourceDirectory? TryRead(CoapClient client, DirectoryHost host, CoapDirectoryClientOptions options,
        CoapUri origin, IReadOnlyList<CoapLink> links)
    {
        CoapResourceDirectory directory = new(client, host, options)
        {
            Registration = DirectoryLinks.Find(links, DirectoryLinks.Registration, origin),
            ResourceLookup = DirectoryLinks.Find(links, DirectoryLinks.ResourceLookup, origin),
            EndpointLookup = DirectoryLinks.Find(links, DirectoryLinks.EndpointLookup, origin),
        };
        return directory.Registration is null && directory.ResourceLookup is null && directory.EndpointLookup is null ? null : directory;
    }

    private static CoapUri Parse(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        return CoapUri.TryParse(uri, out CoapUri? parsed, out string? error) ? parsed : throw new ArgumentException(error, nameof(uri));
    }

    private static async IAsyncEnumerable<CoapResourceDirectory> ReadAllAsync(CoapClient client, IAsyncEnumerable<CoapGroupLinks> members,
        CoapDirectoryClientOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        DirectoryHost host = new(null, null);
        await foreach (CoapGroupLinks member in members.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            if (TryRead(client, host, options, CoapUri.Parse(member.Uri), member.Links) is { } found)
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

    private DirectoryLookup Lookup(CoapUri? place, string what, CoapDirectoryQuery? query) =>
        new(_client, _host, place, what, query ?? CoapDirectoryQuery.Everything, _options);
}
