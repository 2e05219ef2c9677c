using System.Globalization;
using System.Text;
using CoAP.NET.Diagnostics;
using CoAP.NET.Endpoints;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>Sends the requests that register, refresh and remove an endpoint (RFC 9176 section 5).</summary>
internal sealed class RegistrationExchange(IEndpointClient client, CoapRegistrationOptions options)
{
    private readonly TimeProvider _time = client.Endpoint.Environment.TimeProvider;

    /// <summary>Registers, or replaces a registration with the same name.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="baseUri">The base URI of the endpoint; null for the source address of the request.</param>
    /// <param name="links">The links, as a document.</param>
    /// <param name="refreshAfter">The time until the next refresh.</param>
    /// <param name="before">The previous registration there; null for none.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The registration at the directory.</returns>
    /// <exception cref="CoapException">The request failed.</exception>
    public async Task<KnownRegistration> RegisterAsync(CoapDirectoryClient directory, string? baseUri, byte[] links,
        TimeSpan refreshAfter, KnownRegistration? before, CancellationToken cancellationToken)
    {
        CoapUri place = directory.Registration
            ?? throw new CoapDirectoryException(
                $"The directory ({directory}) did not report a URI for registrations (rt=core.rd; RFC 9176 section 4.3). Use another one, "
                    + "or pass its URIs to the constructor of CoapDirectoryClient.");
        if (baseUri is null && (place.Scheme is not ("coap" or "coaps") || client.Proxy is not null))
        {
            throw new CoapDirectoryException(
                $"The directory accepts registrations at {place}, where the source address of a request is not an address at which the "
                    + "endpoint can be reached (RFC 9176 section 5). Set CoapRegistrationOptions.Base.");
        }

        CoapRequest request = directory.Host.To(CoapMethod.Post, place);
        AddArguments(request, baseUri);
        request.Content = new CoapContent(links, CoapContentFormat.LinkFormat);
        (long since, DateTimeOffset wall) = (_time.GetTimestamp(), _time.GetUtcNow());
        CoapResponse response = Check(await SendAsync(request, cancellationToken).ConfigureAwait(false), "registration", place);
        KnownRegistration grant = new()
        {
            RegistrationUri = place,
            Path = response.Options.GetValues(OptionNumber.LocationPath),
            Query = response.Options.GetValues(OptionNumber.LocationQuery),
            Location = response.Options.Location,
            Base = baseUri,
            Links = links,
            Since = since,
            SinceWall = wall,
            RefreshAfter = refreshAfter,
        };
        if (!grant.HasLocation)
        {
            // Some directories answer a second registration with 2.04 without repeating the location.
            return before is { HasLocation: true } && before.RegistrationUri == place && response.Code == CoapCode.Changed
                ? grant with { Path = before.Path, Query = before.Query, Location = before.Location }
                : grant;
        }

        return IsOwn(grant, directory)
            ? grant
            : throw new CoapDirectoryException(
                $"The directory at {place} returned {CoapUntrustedText.LineOf(grant.Location)} as the location of the registration, "
                    + "which cannot "
                    + "be one: it is a resource of the directory itself, or not a path. The directory has an error.", response);
    }

    /// <summary>
    /// Returns whether the directory lists the endpoint at its location. A restarted directory without storage may have assigned the
    /// location to another endpoint, and accepts a refresh or a removal there if it does not authenticate clients.
    /// </summary>
    /// <param name="directory">The directory.</param>
    /// <param name="grant">The registration, which has a location.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Null if it is unknown: the endpoint does not know its name, or the directory has no lookup that answers it.</returns>
    /// <exception cref="CoapException">The request failed.</exception>
    public async Task<bool?> IsListedAsync(CoapDirectoryClient directory, KnownRegistration grant, CancellationToken cancellationToken)
    {
        if (options.EndpointName.Length == 0 || directory.EndpointLookup is not { } place)
        {
            return null;
        }

        CoapRequest request = directory.Host.To(CoapMethod.Get, place);
        request.Accept = CoapContentFormat.LinkFormat;
        Add(request, "ep", options.EndpointName);
        CoapResponse response = await SendAsync(request, cancellationToken).ConfigureAwait(false);
        if (response.Code.Class == 4 && response.Code != CoapCode.TooManyRequests)
        {
            // Not every client may use the lookup.
            return null;
        }

        return CoapLinkFormat.TryParse(Check(response, "lookup of the endpoint itself", place).Payload.Span,
            out IReadOnlyList<CoapLink> links, out _, maxLinks: int.MaxValue)
            ? links.Any(link => IsAt(grant, link.ResolveTarget(place.ToString())) && link.GetValue("ep") == options.EndpointName
                && (options.Sector is null || link.GetValue("d") == options.Sector))
            : null;
    }

    /// <summary>Refreshes a registration, with a new base if there is one.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="grant">The registration, which has a location.</param>
    /// <param name="baseUri">The base URI of the endpoint; null for the source address of the request.</param>
    /// <param name="refreshAfter">The time until the next refresh.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The registration at the directory; null if the directory does not know it, or refuses: the location may then belong to
    /// another endpoint.</returns>
    /// <exception cref="CoapException">The request failed.</exception>
    public async Task<KnownRegistration?> RefreshAsync(CoapDirectoryClient directory, KnownRegistration grant, string? baseUri,
        TimeSpan refreshAfter, CancellationToken cancellationToken)
    {
        CoapRequest request = AtLocation(CoapMethod.Post, directory, grant);
        if (baseUri is not null && baseUri != grant.Base)
        {
            Add(request, "base", baseUri);
        }

        (long since, DateTimeOffset wall) = (_time.GetTimestamp(), _time.GetUtcNow());
        CoapResponse response = await SendAsync(request, cancellationToken).ConfigureAwait(false);
        if (response.Code.Class == 4 && response.Code != CoapCode.TooManyRequests)
        {
            return null;
        }

        _ = Check(response, "refresh", grant.RegistrationUri);
        return grant with { Base = baseUri ?? grant.Base, Since = since, SinceWall = wall, RefreshAfter = refreshAfter };
    }

    /// <summary>Removes a registration.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="grant">The registration, which has a location.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the registration is removed, or was already unknown.</returns>
    /// <exception cref="CoapException">The request failed.</exception>
    public async Task RemoveAsync(CoapDirectoryClient directory, KnownRegistration grant, CancellationToken cancellationToken)
    {
        CoapResponse response = await SendAsync(AtLocation(CoapMethod.Delete, directory, grant), cancellationToken).ConfigureAwait(false);
        if (response.Code != CoapCode.NotFound)
        {
            _ = Check(response, "removal", grant.RegistrationUri);
        }
    }

    // A location never leads to another host, and must not be a resource of the directory itself.
    private static bool IsOwn(KnownRegistration grant, CoapDirectoryClient directory)
    {
        string[] path = [.. grant.Path.Select(static segment => Encoding.UTF8.GetString(segment.Span))];
        return !path.Any(static segment => segment is "." or "..") && !path.All(static segment => segment.Length == 0)
            && path[0] != ".well-known"
            && !new[] { grant.RegistrationUri, directory.ResourceLookup, directory.EndpointLookup }.OfType<CoapUri>()
                .Any(place => place.Scheme == grant.RegistrationUri.Scheme && place.Authority == grant.RegistrationUri.Authority
                    && place.PathSegments.SequenceEqual(path));
    }

    // Hosts have several names and addresses, so compare the path.
    private static bool IsAt(KnownRegistration grant, string target) => CoapUri.TryParse(target, out CoapUri? uri, out _)
        && uri.PathSegments.SequenceEqual(grant.Path.Select(static segment => Encoding.UTF8.GetString(segment.Span)));

    private static CoapRequest AtLocation(CoapMethod method, CoapDirectoryClient directory, KnownRegistration grant)
    {
        CoapRequest request = directory.Host.To(method, CoapUri.Parse(CoapUri.OriginOf(grant.RegistrationUri.ToString())));
        foreach (ReadOnlyMemory<byte> segment in grant.Path)
        {
            request.Options.Add(OptionNumber.UriPath, segment.Span);
        }

        foreach (ReadOnlyMemory<byte> argument in grant.Query)
        {
            request.Options.Add(OptionNumber.UriQuery, argument.Span);
        }

        return request;
    }

    private static void Add(CoapRequest request, string name, string value) => request.Options.Add(new UriQueryOption($"{name}={value}"));

    // A response with only the name of its code says little.
    private static CoapResponse Check(CoapResponse response, string what, CoapUri place) => response.IsSuccess
        ? response
        : throw new CoapDirectoryException($"The directory at {place} refused the {what}. {new CoapResponseException(response).Message}",
            response);

    private void AddArguments(CoapRequest request, string? baseUri)
    {
        if (options.EndpointName.Length > 0)
        {
            Add(request, "ep", options.EndpointName);
        }

        if (options.Sector is { } sector)
        {
            Add(request, "d", sector);
        }

        Add(request, "lt", ((uint)options.Lifetime.TotalSeconds).ToString(CultureInfo.InvariantCulture));
        if (baseUri is not null)
        {
            Add(request, "base", baseUri);
        }

        foreach (string type in options.Types)
        {
            Add(request, "et", type);
        }

        foreach ((string name, string value) in options.Attributes)
        {
            Add(request, name, value);
        }
    }

    // The registration applies the delay itself if the directory is busy.
    private Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        request.Timeout = options.Timeout;
        request.TooManyRequests = CoapTooManyRequestsBehavior.None;
        return client.SendAsync(request, cancellationToken);
    }
}
